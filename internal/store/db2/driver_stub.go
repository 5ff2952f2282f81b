//go:build !db2

package db2

import (
	"database/sql/driver"
	"errors"
)

// errNoDriver explains what this binary lacks. IBM's driver needs cgo and IBM's
// client library, which is not free software: it stays out of the static binary.
var errNoDriver = errors.New("this brokerage was built without Db2's driver: docs/db2.md has the other binary " +
	"(make build-db2; CGO_ENABLED=1 go build -tags db2), which needs IBM's clidriver")

func driverConnector(string) (driver.Connector, error) { return nil, errNoDriver }

func diagnose(error) []Diagnostic { return nil }
