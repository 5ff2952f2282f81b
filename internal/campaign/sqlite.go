package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"brokerage/internal/dataset"
	"brokerage/internal/output"
	"brokerage/internal/store"
	"brokerage/internal/store/sqlite"
)

// sqliteSubject is an embedded database: a file.
type sqliteSubject struct {
	baseSubject
	path string
}

func newSQLite(path, folder string) (sqliteSubject, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return sqliteSubject{}, err
	}
	// The pace is below what was measured at XXXS on two cores, so that the plan holds.
	common := baseSubject{validation: inService, pace: Pace{Load: 30e6, Backup: 100e6, Restore: 80e6, Insert: 10e6}}
	return sqliteSubject{baseSubject: common}.at(path, folder), nil
}

// at returns the subject for another file, with its backup in a folder.
func (e sqliteSubject) at(path, folder string) sqliteSubject {
	e.path, e.url = path, sqlite.Scheme+":"+path
	e.backup = filepath.Join(folder, filepath.Base(path)+".backup.zst")
	return e
}

// Holds does not open a file that does not exist, since that would create it.
func (e sqliteSubject) Holds(ctx context.Context) (string, error) {
	info, err := os.Stat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", output.RequireFolder(e.path) // a campaign does not create it
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", e.path)
	case info.Size() == 0:
		return "", nil
	}
	return e.holds(ctx, false)
}

func (e sqliteSubject) Create(ctx context.Context) error {
	if info, err := os.Stat(e.path); err == nil && info.Size() == 0 {
		return e.with(ctx, false, func(store.Bulk) error { return nil })
	}
	return e.baseSubject.Create(ctx)
}

func (e sqliteSubject) Statistics(ctx context.Context) error {
	db, err := sqlite.OpenFile(e.path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "ANALYZE")
	return errors.Join(err, db.Close())
}

func (e sqliteSubject) Remove(ctx context.Context) error {
	if err := e.Discard(); err != nil {
		return err
	}
	if _, err := os.Stat(e.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return sqlite.Remove(ctx, e.path)
}

// Estimates, somewhat above what was measured: stored bytes, with keys and indexes, per byte of documents; and the
// bytes by which inserts can grow a database in a second.
const (
	packedShare, plainShare = 0.45, 1.25
	growth                  = 15e6
)

// Room is for the database, its backup, the copy that a restore makes, and what inserts add.
func (e sqliteSubject) Room(d *dataset.Dataset, inserting float64) (string, float64) {
	share := packedShare
	if e.uncompressed {
		share = plainShare
	}
	const journal = 100e6
	return filepath.Dir(e.path), 3*share*rawBytes(d) + inserting*growth + journal
}

// Variants are numbers of connections for reading, and documents without compression.
func (e sqliteSubject) Variants(cores int) []Variant {
	pool := func(each int, text string) Variant {
		return Variant{Name: fmt.Sprintf("pool %d", each*cores), Pool: each * cores,
			Description: text + " for reading for each core instead of two"}
	}
	return []Variant{pool(1, "one connection"), pool(8, "eight connections"),
		{Name: "uncompressed", Description: "documents stored without compression, in a separate database",
			Uncompressed: true}}
}

func (e sqliteSubject) As(v Variant) Subject {
	if v.Uncompressed && !e.uncompressed {
		e = e.at(e.path+".uncompressed", filepath.Dir(e.backup))
		e.uncompressed = true
	}
	return e
}
