package store

import (
	"context"
	"errors"
	"fmt"
)

// SchemaVersion is the version of the schema that this program makes and works with, the same for every engine.
const SchemaVersion = 1

// The settings in which a database records its schema. A load keeps them, and so does emptying a server's database.
const (
	SettingVersion  = "schema.version"
	SettingIdentity = "database.identity"
)

// A Stamp is what a database records about itself when its schema is made.
type Stamp struct {
	Version  int
	Identity string // random, 32 hexadecimal digits; a backup carries it, and the restored database has it
}

// Check returns an error for a database that this program cannot work with.
func (s Stamp) Check() error {
	switch {
	case s.Version > SchemaVersion:
		return fmt.Errorf("schema version %d is newer than this program supports (%d); use a newer release",
			s.Version, SchemaVersion)
	case s.Version < SchemaVersion || s.Identity == "":
		return errors.New("the schema was made by an unreleased version of this program; load the data into a new database")
	}
	return nil
}

// ErrEmpty is the error of a command that only reads, for a database without the schema.
var ErrEmpty = errors.New("the database is empty: brokerage load fills it")

// A Schema is the schema of a database, as its engine reads and makes it.
type Schema struct {
	// Stamp returns what the database has recorded. It reports whether the database is empty, and may fail if the tables
	// are of another program.
	Stamp func(context.Context) (s Stamp, empty bool, err error)
	// Make makes the schema and its stamp, which is never there before the rest, under a lock for which other processes
	// wait. It reports whether it did: another process may have made the schema while this one waited.
	Make func(context.Context) (made bool, err error)
}

// Ensure makes the schema in an empty database, unless asIs is set, and returns the stamp of the database. It refuses a
// database of any version but SchemaVersion. If the schema exists, it takes no lock and needs only the right to
// read.
func (s Schema) Ensure(ctx context.Context, asIs bool) (stamp Stamp, made bool, err error) {
	stamp, empty, err := s.Stamp(ctx)
	if err == nil && empty {
		if asIs {
			return stamp, false, ErrEmpty
		}
		if made, err = s.Make(ctx); err == nil {
			stamp, _, err = s.Stamp(ctx)
		}
	}
	if err == nil {
		err = stamp.Check()
	}
	return stamp, made, err
}
