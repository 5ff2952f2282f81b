package main

import (
	"context"
	"fmt"

	"brokerage/internal/store"
)

// dbFlag names the database of a command that creates, loads, verifies or copies it.
type dbFlag struct {
	store.Database

	doing func(string) // see store.Options
}

func (f *dbFlag) UnmarshalText(text []byte) (err error) {
	if f.Database, err = store.Find(string(text)); err == nil && !f.Stores() {
		err = store.ErrNothingStored
	}
	return err
}

// embedded reports whether the database is a file.
func (f *dbFlag) embedded() bool { return f.Path() != "" }

// name returns the database's name in messages.
func (f *dbFlag) name() string {
	if f.embedded() {
		return f.Path()
	}
	return f.Name()
}

// options returns the options to open the database; asIs is for commands that only read.
func (f *dbFlag) options(s streams, asIs bool) store.Options {
	return store.Options{AsIs: asIs, Notice: s.notice, Doing: f.doing}
}

// open opens the database; asIs is for commands that only read.
func (f *dbFlag) open(ctx context.Context, s streams, asIs bool) (store.Bulk, error) {
	opened, err := f.OpenBulk(ctx, f.options(s, asIs))
	return opened, f.named(err)
}

// named adds the name of a server's database to an error; errors of files contain their path already.
func (f *dbFlag) named(err error) error {
	if err == nil || f.embedded() {
		return err
	}
	return fmt.Errorf("%s: %w", f.name(), err)
}
