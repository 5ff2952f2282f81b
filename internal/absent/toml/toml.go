// Package toml stands in for TOML, which gin imports and the service does not use (decision 0032).
package toml

import (
	"errors"
	"io"
)

var errAbsent = errors.New("this program has no TOML: see docs/adr/0032-absent-modules.md")

// Marshal returns an error.
func Marshal(any) ([]byte, error) { return nil, errAbsent }

// A Decoder decodes nothing.
type Decoder struct{}

// NewDecoder returns a Decoder.
func NewDecoder(io.Reader) Decoder { return Decoder{} }

// Decode returns an error.
func (Decoder) Decode(any) error { return errAbsent }
