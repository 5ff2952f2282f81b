// Package validator stands in for the checks of struct tags, which gin imports and the service does not use (decision
// 0032).
package validator

import "errors"

var errAbsent = errors.New("this program has no validator of structs: see docs/adr/0032-absent-modules.md")

// A Validate checks nothing.
type Validate struct{}

// New returns a Validate.
func New() *Validate { return &Validate{} }

// SetTagName does nothing.
func (*Validate) SetTagName(string) {}

// Struct returns an error.
func (*Validate) Struct(any) error { return errAbsent }
