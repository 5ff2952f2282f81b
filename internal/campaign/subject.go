package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/postgres"
)

// Subject is the database under test, with the operations that a campaign needs besides the transactions. Nothing else
// uses the database while a method runs.
type Subject interface {
	// URL returns the URL of the database for the service, secrets included.
	URL() string
	// Describe returns the engine with the settings that its figures depend on, and the contents of the database.
	Describe(ctx context.Context) (StoreStamp, result.DatasetStamp, error)
	// Holds names the contents of the database, an unfinished load included, or returns "" when it is empty or does not
	// exist.
	Holds(ctx context.Context) (string, error)
	// Load replaces what the database holds by a dataset. It calls progress with documents in the order of their kinds.
	Load(ctx context.Context, d *dataset.Dataset, progress store.Progress) error
	Space(ctx context.Context) (*Space, error)
	// BackupFile returns the file for the backup, which Db2 does not use, or "" when the subject makes no backup.
	BackupFile() string
	// Backup copies the database, replacing an earlier backup; Restore restores that state.
	Backup(ctx context.Context) (*Copy, error)
	Restore(ctx context.Context) (*Copy, error)
	// Connections returns how many connections the service may have; 0 is no limit.
	Connections(ctx context.Context) (int, error)
}

// Open returns the subject for a database URL. Its backup goes to folder. Commands are for engines that need them.
func Open(url, folder string, commands Commands) (Subject, error) {
	found, err := store.Find(url)
	if err != nil {
		return nil, err
	}
	if !found.Stores() {
		return nil, store.ErrNothingStored
	}
	base := database{found, filepath.Join(folder, "campaign.backup.zst")}
	switch found.Scheme {
	case postgres.Scheme:
		if postgres.IsCluster(url) { // it has no backup of all nodes
			base.backup = ""
		}
		return postgresDatabase{base}, nil
	case db2.Scheme:
		if commands.Backup == "" || commands.Restore == "" {
			base.backup = ""
		}
		return db2Database{base, commands}, nil
	default:
		return base, nil
	}
}

// A database implements the Subject of most engines, and what the others have in common with them.
type database struct {
	store.Database

	backup string // file, or ""
}

// opened calls do with the open database. It creates no schema where there is none.
func (e database) opened(ctx context.Context, do func(store.Bulk) error) error {
	s, err := e.OpenBulk(ctx, store.Options{AsIs: true})
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func (e database) Describe(ctx context.Context) (is StoreStamp, holds result.DatasetStamp, err error) {
	s, err := e.Open(ctx, store.Options{AsIs: true})
	if err != nil {
		return is, holds, err
	}
	d := s.Describe()
	is = StoreStamp{Engine: d.Name, Version: d.Version, URL: store.Published(e.URL()), Durability: d.Durability,
		Settings: make(map[string]string)}
	for _, setting := range d.Settings {
		is.Settings[setting.Name] = setting.Value
	}
	contents, err := s.Contents(ctx)
	return is, result.DatasetStamp(contents), errors.Join(err, s.Close())
}

func (e database) Holds(ctx context.Context) (name string, err error) {
	if path := e.Path(); path != "" {
		if err := output.RequireFolder(path); err != nil {
			return "", err
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return "", nil // and opening would create it
		}
	}
	err = e.opened(ctx, func(s store.Bulk) error {
		if name, err = store.Holds(ctx, s); err != nil || name != "" {
			return err
		}
		space, err := s.Space(ctx)
		if space.Documents != [len(dataset.Kinds)]int64{} {
			name = "documents that no load has written"
		}
		return err
	})
	if errors.Is(err, store.ErrEmpty) {
		return "", nil
	}
	return name, err
}

func (e database) Load(ctx context.Context, d *dataset.Dataset, progress store.Progress) error {
	s, err := e.Empty(ctx, store.Options{})
	if err != nil {
		return err
	}
	return errors.Join(s.LoadDataset(ctx, d, progress), s.Close())
}

func (e database) Space(ctx context.Context) (out *Space, err error) {
	err = e.opened(ctx, func(s store.Bulk) error {
		space, err := s.Space(ctx)
		if err != nil {
			return err
		}
		out = &Space{Indexes: []NamedBytes{}, Rest: space.Rest, Total: space.File, Journal: space.Journal}
		for _, k := range dataset.Kinds {
			out.Kinds = append(out.Kinds, KindBytes{k.String(), space.Documents[k], space.Raw[k], space.Stored[k]})
			out.Raw += space.Raw[k]
		}
		for _, index := range space.Indexes {
			out.Indexes = append(out.Indexes, NamedBytes{index.Name, index.Bytes})
		}
		return nil
	})
	return out, err
}

func (e database) BackupFile() string { return e.backup }

func (e database) Backup(ctx context.Context) (*Copy, error) {
	if err := removeFile(e.backup); err != nil { // perhaps of an earlier database
		return nil, err
	}
	m, written, err := e.Database.Backup(ctx, e.backup, store.CopyOptions{})
	if err != nil {
		return nil, err
	}
	return &Copy{Database: m.Bytes, File: written}, nil
}

func (e database) Restore(ctx context.Context) (*Copy, error) {
	info, err := os.Stat(e.backup)
	if err != nil {
		return nil, err
	}
	m, err := e.Database.Restore(ctx, e.backup, store.CopyOptions{Replace: true})
	if err != nil {
		return nil, err
	}
	return &Copy{Database: m.Bytes, File: info.Size()}, nil
}

func (database) Connections(context.Context) (int, error) { return 0, nil }

// Commands are the shell commands that back up and restore a database which has its own tools for that.
type Commands struct{ Backup, Restore string }

// A db2Database is backed up and restored by commands of its operator, who knows where Db2 keeps its images and how to
// force off its applications.
type db2Database struct {
	database

	commands Commands
}

func (e db2Database) Backup(ctx context.Context) (*Copy, error) { return shell(ctx, e.commands.Backup) }
func (e db2Database) Restore(ctx context.Context) (*Copy, error) {
	return shell(ctx, e.commands.Restore)
}

// shell runs a command that copies. The error holds the end of its output.
func shell(ctx context.Context, command string) (*Copy, error) {
	text, err := exec.CommandContext(ctx, "sh", "-c", command).CombinedOutput()
	if err != nil {
		const last = 2000
		return nil, fmt.Errorf("%s: %w\n%s", command, err, text[max(0, len(text)-last):])
	}
	return new(Copy), nil
}

// removeFile removes a file, if there is one.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
