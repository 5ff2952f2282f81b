// Package driverenv prepares the process for IBM's driver, which reads arguments and environment when its package is
// initialised:
//
//   - The driver (driver.go, log2) writes every call to standard output, the connection string with its password
//     included, if the program's arguments contain "trace" anywhere, as in the URL of a collector of traces. It sees
//     no arguments until RestoreArgs.
//   - The client library writes a question mark for every character beyond ASCII if LANG is C, as in a container.
//     DB2CODEPAGE makes it use UTF-8 in any locale.
//   - When it prepares a statement or at the COMMIT, the client library replaces a broken connection without an error
//     if the server has reported no change in the transaction (RDBUPDRM): the transaction continues without its
//     locks. DB2_MAX_CLIENT_CONNRETRIES=0 makes it report the broken connection. No keyword of a connection string
//     does.
//
// Go initialises packages whose dependencies are ready in the order of their import paths, so that this one, which
// needs only os, comes before the driver.
package driverenv

import "os"

var args = os.Args

func init() {
	os.Args = args[:min(1, len(args))]
	for name, value := range map[string]string{"DB2CODEPAGE": "1208", "DB2_MAX_CLIENT_CONNRETRIES": "0"} {
		if os.Getenv(name) == "" {
			_ = os.Setenv(name, value) // it fails only for invalid names
		}
	}
}

// RestoreArgs sets os.Args to the program's arguments. It must be called after the driver was initialised and before
// main runs.
func RestoreArgs() { os.Args = args }
