package main

import (
	"errors"
	"fmt"
	"os"

	"brokerage/internal/store"
)

// dbFlag names the database of a command that is for the embedded store alone:
// what loads, verifies or copies a file.
type dbFlag struct{ path string }

func (f *dbFlag) UnmarshalText(text []byte) error {
	scheme, path, err := store.Parse(string(text))
	switch {
	case err != nil:
		return err
	case scheme == store.Null:
		return errors.New("null: holds nothing that could be loaded or verified; sqlite:PATH does")
	case scheme != store.SQLite:
		return fmt.Errorf("%s: is not for this command; sqlite:PATH is", scheme)
	}
	f.path = path
	return nil
}

func (f dbFlag) String() string { return store.SQLite + ":" + f.path }

// existing refuses a database that is not there, for commands that read.
func (f dbFlag) existing() error {
	if info, err := os.Stat(f.path); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", f.path)
	}
	return nil
}
