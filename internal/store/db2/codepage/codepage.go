// Package codepage tells IBM's client library that this process reads and writes
// UTF-8, whatever its locale says: where LANG is C, as in a container, the
// library would make question marks of every character beyond ASCII.
//
// The library looks when the driver's package is initialised. Packages whose
// dependencies are ready are initialised in the order of their import paths (Go's
// specification), so that this one, which needs nothing but os, comes before it.
package codepage

import "os"

func init() {
	if os.Getenv("DB2CODEPAGE") == "" {
		_ = os.Setenv("DB2CODEPAGE", "1208") // it is no name that could be refused
	}
}
