package campaign

import (
	"context"
	"fmt"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Engine is a database under test, with the operations that a campaign needs beside the transactions. Nothing else uses
// the database while a method runs.
type Engine interface {
	// URL returns the URL of the database for the service, secrets included.
	URL() string
	// Lacks returns why the engine cannot run a kind of step, or "" when it can.
	Lacks(kind Kind) string
	// Describe returns the engine, its version and the settings that its figures depend on.
	Describe(ctx context.Context) (Store, error)
	// Holds names the contents of the database, an unfinished load included, or returns "" when it is empty or does not
	// exist.
	Holds(ctx context.Context) (string, error)
	// Create creates an empty database, and replaces one that exists.
	Create(ctx context.Context) error
	// Load loads a dataset, or resumes an interrupted load. It calls progress with documents in the order of their kinds.
	Load(ctx context.Context, d *dataset.Dataset, progress func(documents int, bytes int64)) error
	// Loaded returns how many documents of a kind have been loaded.
	Loaded(ctx context.Context, k dataset.Kind) (int64, error)
	// Statistics collects the statistics of the query planner.
	Statistics(ctx context.Context) error
	Space(ctx context.Context) (Space, error)
	// Backup copies the database, replacing an earlier backup; Restore restores that state.
	Backup(ctx context.Context) (Copy, error)
	Restore(ctx context.Context) (Copy, error)
	// BackedUp reports whether there is a backup.
	BackedUp() bool
	// Discard removes the backup.
	Discard() error
	// Remove removes the database and its backup.
	Remove(ctx context.Context) error

	// Pace returns estimates of how fast it loads and copies, for planning.
	Pace() Pace
	// Room returns how many bytes a campaign that inserts for the given seconds needs at most, and in which folder, or ""
	// when the database is on a server.
	Room(d *dataset.Dataset, inserting float64) (folder string, bytes float64)
	// Variants returns the settings that are compared with the default ones, for a machine with the given number of cores.
	Variants(cores int) []Variant
	// As returns the engine with the settings of a variant. Where that needs another database, it is beside the first.
	As(v Variant) Engine
}

// Tuner is an engine on a server whose settings a variant changes for its runs.
type Tuner interface {
	// Tune changes the settings, after it has saved the old ones where a resumed campaign finds them. It returns
	// *NotHereError when that is not allowed.
	Tune(ctx context.Context) error
	// Untune restores the saved settings, if there are any.
	Untune(ctx context.Context) error
}

// Serving is an engine whose database runs in processes of its own.
type Serving interface {
	// Server returns the parent process of the database, or 0 when it is not visible because it runs on another computer
	// or in a container.
	Server(ctx context.Context) (pid int, err error)
}

// NotHereError is returned for a step that this database does not allow.
type NotHereError struct{ Reason string }

func (e *NotHereError) Error() string { return e.Reason }

// Pace is in bytes a second: of documents for a load, of the database for backup and restore.
type Pace struct{ Load, Backup, Restore float64 }

// Open returns the engine of a database URL. Files beside the database go to folder. Commands are for engines that need
// them.
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
