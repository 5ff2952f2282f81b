// Package db2 is the store in a Db2 database, by pureXML and go_ibm_db.
package db2
