//go:build db2

package db2

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"brokerage/internal/store/db2/driverenv" // is initialised before the driver

	ibm "github.com/ibmdb/go_ibm_db"
)

func init() { driverenv.RestoreArgs() } // after the driver, which this package imports

// driverConnector returns a connector of IBM's driver. Only it and diagnose depend on the build tag. It uses the
// registered driver, because only that one has a handle of the client library.
func driverConnector(dsn string) (driver.Connector, error) {
	db, err := sql.Open("go_ibm_db", dsn)
	if err != nil {
		return nil, err
	}
	return ibmConnector{dsn, db.Driver()}, db.Close() // nothing was opened
}

type ibmConnector struct {
	dsn    string
	driver driver.Driver
}

func (c ibmConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }

func (c ibmConnector) Driver() driver.Driver { return c.driver }

func diagnose(err error) (list []Diagnostic) {
	found, ok := errors.AsType[*ibm.Error](err)
	if !ok {
		return nil
	}
	for _, d := range found.Diag {
		list = append(list, Diagnostic{Code: d.NativeError, State: d.State, Message: d.Message})
	}
	return list
}
