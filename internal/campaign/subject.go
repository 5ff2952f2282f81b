package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/sqlite"
)

// Subject is the database under test, with the operations that a campaign needs beside the transactions. Nothing else
// uses the database while a method runs.
type Subject interface {
	// URL returns the URL of the database for the service, secrets included.
	URL() string
	// Lacks returns why the subject cannot run a kind of step, or "" when it can.
	Lacks(kind StepKind) string
	// Describe returns the engine, its version and the settings that its figures depend on.
	Describe(ctx context.Context) (StoreStamp, error)
	// Holds names the contents of the database, an unfinished load included, or returns "" when it is empty or does not
	// exist.
	Holds(ctx context.Context) (string, error)
	// Create creates an empty database, and replaces one that exists.
	Create(ctx context.Context) error
	// Load loads a dataset into an empty database. It calls progress with documents in the order of their kinds.
	Load(ctx context.Context, d *dataset.Dataset, progress func(documents int, bytes int64)) error
	// Statistics collects the statistics of the query planner.
	Statistics(ctx context.Context) error
	Space(ctx context.Context) (Space, error)
	// Backup copies the database, replacing an earlier backup; Restore restores that state.
	Backup(ctx context.Context) (Copy, error)
	Restore(ctx context.Context) (Copy, error)
	// BackupFile returns the name of the file that is there when there is a backup, or "" when the subject makes none.
	BackupFile() string
	// Connections returns how many connections the service may have; 0 is no limit.
	Connections(ctx context.Context) (int, error)
}

// Open returns the subject for a database URL. Files beside the database go to folder. Commands are for engines that
// need them.
func Open(url, folder string, commands Commands) (Subject, error) {
	database, err := store.Find(url)
	if err != nil {
		return nil, err
	}
	if !database.Stores() {
		return costless, nil
	}
	switch database.Scheme {
	case sqlite.Scheme:
		return newSQLite(database.Path(), folder)
	case postgres.Scheme:
		if postgres.IsCluster(url) {
			return clusterSubject{newPostgres(url, folder)}, nil
		}
		return newPostgres(url, folder), nil
	case db2.Scheme:
		return newDB2(url, folder, commands)
	default:
		return nil, fmt.Errorf("campaigns do not support the scheme %s", database.Scheme)
	}
}

// baseSubject implements what all subjects have in common: everything except statistics.
type baseSubject struct {
	url        string
	backup     string // file
	validation string // where documents are validated
}

// inService is the validation of engines that have none of their own.
const inService = "by the project's schemas, in the service"

func (e baseSubject) URL() string { return e.url }

func (baseSubject) Lacks(StepKind) string { return "" }

// database returns what Open has found.
func (e baseSubject) database() store.Database {
	d, err := store.Find(e.url)
	if err != nil {
		panic(err)
	}
	return d
}

// with calls do with the open database. With asIs it creates no schema where there is none.
func (e baseSubject) with(ctx context.Context, asIs bool, do func(store.Bulk) error) error {
	s, err := e.database().OpenBulk(ctx, store.Options{AsIs: asIs})
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func (e baseSubject) Describe(ctx context.Context) (is StoreStamp, err error) {
	s, err := store.Open(ctx, e.url, store.Options{AsIs: true})
	if err != nil {
		return is, err
	}
	d := s.Describe()
	is = StoreStamp{
		Engine: d.Name, Version: d.Version, URL: store.Published(e.url), Durability: d.Durability,
		Validation: e.validation, Settings: make(map[string]string, len(d.Settings)),
	}
	for _, setting := range d.Settings {
		is.Settings[setting.Name] = setting.Value
	}
	return is, s.Close()
}

// Holds creates no schema where there is none.
func (e baseSubject) Holds(ctx context.Context) (name string, err error) {
	err = e.with(ctx, true, func(s store.Bulk) error {
		if name, err = store.Holds(ctx, s); err != nil || name != "" {
			return err
		}
		space, err := s.Space(ctx)
		if space.Documents != [len(dataset.Kinds)]int64{} {
			name = "documents that were not loaded"
		}
		return err
	})
	if errors.Is(err, store.ErrEmpty) {
		return "", nil
	}
	return name, err
}

// Create empties the schema of a database on a server, or creates it. It does not create that database.
func (e baseSubject) Create(ctx context.Context) error {
	s, err := e.database().Empty(ctx, store.Options{})
	if err != nil {
		return err
	}
	return s.Close()
}

func (e baseSubject) Load(ctx context.Context, d *dataset.Dataset, progress func(int, int64)) error {
	return e.with(ctx, false, func(s store.Bulk) error { return s.LoadDataset(ctx, d, progress) })
}

func (e baseSubject) Space(ctx context.Context) (out Space, err error) {
	err = e.with(ctx, true, func(s store.Bulk) error {
		space, err := s.Space(ctx)
		out = Space{Indexes: []NamedBytes{}, Rest: space.Rest, Total: space.File, Journal: space.Journal}
		for _, k := range dataset.Kinds {
			out.Kinds = append(out.Kinds, KindBytes{k.String(), space.Documents[k], space.Raw[k], space.Stored[k]})
			out.Raw += space.Raw[k]
		}
		for _, index := range space.Indexes {
			out.Indexes = append(out.Indexes, NamedBytes{index.Name, index.Bytes})
		}
		return err
	})
	return out, err
}

func (e baseSubject) Backup(ctx context.Context) (Copy, error) {
	if err := removeFile(e.backup); err != nil { // perhaps of a database before
		return Copy{}, err
	}
	m, written, err := e.database().Backup(ctx, e.backup, store.CopyOptions{})
	return Copy{Database: m.Bytes, File: written}, err
}

func (e baseSubject) Restore(ctx context.Context) (Copy, error) {
	info, err := os.Stat(e.backup)
	if err != nil {
		return Copy{}, err
	}
	m, err := e.database().Restore(ctx, e.backup, store.CopyOptions{Replace: true})
	return Copy{Database: m.Bytes, File: info.Size()}, err
}

// removeFile removes a file, if there is one.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (e baseSubject) BackupFile() string { return e.backup }

func (baseSubject) Connections(context.Context) (int, error) { return 0, nil }

// rawBytes returns the size of all documents of a dataset.
func rawBytes(d *dataset.Dataset) (bytes float64) {
	for _, k := range dataset.Kinds {
		bytes += float64(d.ExpectedBytes(k))
	}
	return bytes
}

// nullSubject is the store that answers from memory: it shows the limits of the service and the load generator. It
// stores no data, so a campaign on it consists of runs only.
type nullSubject struct{ baseSubject }

var costless = nullSubject{baseSubject{url: "null:", validation: "none"}}

func (nullSubject) Lacks(kind StepKind) string {
	if kind == KindRun {
		return ""
	}
	return "null: keeps nothing"
}

func (nullSubject) Holds(context.Context) (string, error) { return "", nil }
func (nullSubject) Statistics(context.Context) error      { return store.ErrNothingStored }
