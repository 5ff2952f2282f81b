// Package codec stands in for MessagePack, which gin imports and the service does not use (decision 0032).
package codec

import (
	"errors"
	"io"
)

var errAbsent = errors.New("this program has no MessagePack: see docs/adr/0032-absent-modules.md")

// A MsgpackHandle has the settings of the format.
type MsgpackHandle struct{}

// An Encoder encodes nothing.
type Encoder struct{}

// NewEncoder returns an Encoder.
func NewEncoder(io.Writer, *MsgpackHandle) Encoder { return Encoder{} }

// Encode returns an error.
func (Encoder) Encode(any) error { return errAbsent }

// A Decoder decodes nothing.
type Decoder struct{}

// NewDecoder returns a Decoder.
func NewDecoder(io.Reader, *MsgpackHandle) Decoder { return Decoder{} }

// Decode returns an error.
func (Decoder) Decode(any) error { return errAbsent }
