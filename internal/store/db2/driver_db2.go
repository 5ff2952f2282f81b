//go:build db2

package db2

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"reflect"

	_ "brokerage/internal/store/db2/codepage" // must come before the driver

	ibm "github.com/ibmdb/go_ibm_db"
)

// driverConnector connects with IBM's driver; what is in this file is all that the build tag decides. Only the driver
// that its package registers has a handle of the client library.
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

// described reports whether the driver could describe every parameter of a statement, which it tells nobody.
func described(s driver.Stmt) bool {
	parameters := reflect.ValueOf(s).Elem().FieldByName("os").Elem().FieldByName("Parameters")
	for i := range parameters.Len() {
		if !parameters.Index(i).FieldByName("isDescribed").Bool() {
			return false
		}
	}
	return true
}

// diagnose returns the driver's records of an error.
func diagnose(err error) (list []ServerError) {
	found, ok := errors.AsType[*ibm.Error](err)
	if !ok {
		return nil
	}
	for _, d := range found.Diag {
		list = append(list, ServerError{Code: d.NativeError, State: d.State, Message: d.Message})
	}
	return list
}
