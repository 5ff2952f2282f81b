// Package bson stands in for MongoDB's BSON, which gin imports and the service does not use (decision 0032).
package bson

import "errors"

var errAbsent = errors.New("this program has no BSON: see docs/adr/0032-absent-modules.md")

// Marshal returns an error.
func Marshal(any) ([]byte, error) { return nil, errAbsent }

// Unmarshal returns an error.
func Unmarshal([]byte, any) error { return errAbsent }
