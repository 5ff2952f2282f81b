//go:build !db2

package db2

import (
	"database/sql/driver"
	"errors"
)

// errNoDriver says how to get a binary with IBM's driver, which needs cgo and IBM's client library: that is not free
// software and stays out of the static binary.
var errNoDriver = errors.New("this brokerage was built without Db2's driver: build one with it by make build-db2 " +
	"(see docs/db2.md); it needs IBM's clidriver")

func driverConnector(string) (driver.Connector, error) { return nil, errNoDriver }

func diagnose(error) []Diagnostic { return nil }
