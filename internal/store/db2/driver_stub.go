//go:build !db2

package db2

import (
	"database/sql/driver"
	"errors"
)

// errNoDriver says how to get a binary with IBM's driver, which needs cgo and IBM's client library: that is not free
// software and stays out of the static binary.
var errNoDriver = errors.New("this program was built without the Db2 driver: make build-db2 builds one with it, and " +
	"needs IBM's clidriver (docs/db2.md)")

func driverConnector(string) (driver.Connector, error) { return nil, errNoDriver }

func diagnose(error) []Diagnostic { return nil }
