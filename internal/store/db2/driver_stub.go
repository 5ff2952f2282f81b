//go:build !db2

package db2

import (
	"database/sql/driver"
	"errors"
)

// errNoDriver says how to get a binary with IBM's driver, which needs cgo and IBM's client library. The library is not
// free software, so the static binary does without the driver.
var errNoDriver = errors.New("this program was built without the Db2 driver: make build-db2 builds one with it, and " +
	"needs IBM's clidriver (docs/db2.md)")

func driverConnector(string) (driver.Connector, error) { return nil, errNoDriver }

func diagnose(error) []Diagnostic { return nil }
