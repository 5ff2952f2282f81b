// Package postgres holds the files for a PostgreSQL server of the brokerage. The campaign compares their settings with
// the defaults of PostgreSQL.
package postgres

import _ "embed"

// Tuned is tuned.conf.
//
//go:embed tuned.conf
var Tuned string
