package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	return sqliteSubject{path: path, baseSubject: baseSubject{
		url: sqlite.Scheme + ":" + path, backup: filepath.Join(folder, filepath.Base(path)+".backup.zst"),
		validation: inService,
	}}, nil
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
	return e.baseSubject.Holds(ctx)
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
