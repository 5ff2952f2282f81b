// Package postgres holds the files for a PostgreSQL server of the brokerage. A campaign records the
// values that a server has for their settings.
package postgres

import _ "embed"

// Tuned is tuned.conf.
//
//go:embed tuned.conf
var Tuned string
