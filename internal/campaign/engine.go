package campaign

import (
	"context"
	"fmt"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Engine is what a campaign wants of a kind of databases beside the
// transactions: one database, from its making to its end. Nobody else uses the
// database while a method runs.
type Engine interface {
	// URL names the database for the service, secrets included.
	URL() string
	// Lacks says why the engine cannot do a kind of step, and nothing if it can.
	Lacks(kind Kind) string
	// Describe gives the engine, its version and what its figures hang on.
	Describe(ctx context.Context) (Store, error)
	// Holds names what is in the database, an unfinished load too; empty if
	// there is nothing, or no database.
	Holds(ctx context.Context) (string, error)
	// Create makes an empty database, in the place of the one that is there.
	Create(ctx context.Context) error
	// Load fills it, or goes on with a load that was interrupted; progress is told
	// of documents in the order of their kinds.
	Load(ctx context.Context, d *dataset.Dataset, progress func(documents int, bytes int64)) error
	// Loaded is how many documents of a kind a load has brought so far.
	Loaded(ctx context.Context, k dataset.Kind) (int64, error)
	// Statistics collects what the engine's planner goes by.
	Statistics(ctx context.Context) error
	Space(ctx context.Context) (Space, error)
	// Backup keeps the database as it is now; Restore brings that back. A second
	// Backup takes the place of the first.
	Backup(ctx context.Context) (Copy, error)
	Restore(ctx context.Context) (Copy, error)
	// BackedUp tells whether there is something for Restore.
	BackedUp() bool
	// Discard takes the backup away.
	Discard() error
	// Remove takes the database and its backup away.
	Remove(ctx context.Context) error

	// Pace is about how fast it loads and copies, for planning.
	Pace() Pace
	// Room is how many bytes a campaign that inserts for so many seconds will
	// need at most, in which folder. A database elsewhere gives no folder.
	Room(d *dataset.Dataset, inserting float64) (folder string, bytes float64)
	// Variants are ways to set the store that are worth a comparison with its
	// settings out of the box, for a machine with so many cores.
	Variants(cores int) []Variant
	// As is the same kind of database set in another way: where that means
	// another database, it lies beside the first.
	As(v Variant) Engine
}

// Tuner is an engine on a server, whose settings a variant changes for its runs.
type Tuner interface {
	// Tune changes them. It has noted before, where a campaign that goes on finds
	// it, how to put them back. What it may not do is *NotHereError.
	Tune(ctx context.Context) error
	// Untune puts back what is noted, and does nothing where nothing is.
	Untune(ctx context.Context) error
}

// Serving is an engine whose database has processes of its own.
type Serving interface {
	// Server is the first of them, whose children the others are; 0 where they are
	// not to be seen, since they run on another computer or in a container.
	Server(ctx context.Context) (pid int, err error)
}

// NotHereError is a step that the database at hand does not let a campaign do.
type NotHereError struct{ Reason string }

func (e *NotHereError) Error() string { return e.Reason }

// Pace is in bytes a second: of documents for a load, of the database for the
// others.
type Pace struct{ Load, Backup, Restore float64 }

// Open gives the engine for the database that a URL names; what it keeps beside
// the database goes to folder. Commands are for a kind of databases that needs them.
func Open(url, folder string, commands Commands) (Engine, error) {
	database, err := store.Find(url)
	if err != nil {
		return nil, err
	}
	switch database.Scheme {
	case store.SQLite:
		return newSQLite(database.Path(), folder)
	case store.Postgres:
		return newPostgres(url, folder), nil
	case store.DB2:
		return newDB2(url, folder, commands)
	case store.Null:
		return nullEngine{}, nil
	default:
		return nil, fmt.Errorf("a campaign cannot be run on %s: yet", database.Scheme)
	}
}
