// Package codepage makes IBM's client library read and write UTF-8 in any locale. If LANG is C, as in a container, the
// library would otherwise replace every character beyond ASCII by a question mark.
//
// The library reads the setting when the driver's package is initialised. Go initialises packages whose dependencies
// are ready in the order of their import paths, so that this one, which needs only os, comes before the driver.
package codepage

import "os"

func init() {
	if os.Getenv("DB2CODEPAGE") == "" {
		_ = os.Setenv("DB2CODEPAGE", "1208") // it fails only for invalid names
	}
}
