// Package postgres holds the files for a PostgreSQL server of the brokerage, and
// makes the settings available to the campaign that compares them with those out
// of the box.
package postgres

import _ "embed"

// Tuned is tuned.conf.
//
//go:embed tuned.conf
var Tuned string
