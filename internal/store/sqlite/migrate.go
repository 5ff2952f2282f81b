package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema of a database up to date. Its version is SQLite's
// user_version: the number of migrations that were applied.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("%s is not a database of this program: %w", path, err)
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	slices.Sort(names)
	if version > len(names) {
		return fmt.Errorf("%s has schema version %d, and this program knows up to %d: use a newer one", path, version, len(names))
	}
	if version == 0 {
		var tables int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
			return err
		}
		if tables > 0 {
			return fmt.Errorf("%s is a database, but not of this program", path)
		}
	} else if version < len(names) {
		backup := fmt.Sprintf("%s.version-%d", path, version)
		if _, err := db.ExecContext(ctx, "VACUUM INTO ?", backup); err != nil {
			return fmt.Errorf("before a migration, a copy to %s: %w", backup, err)
		}
	}
	for ; version < len(names); version++ {
		text, err := migrations.ReadFile(names[version])
		if err != nil {
			return err
		}
		if err := apply(ctx, db, string(text), version+1); err != nil {
			return fmt.Errorf("migration %s: %w", names[version], err)
		}
	}
	return nil
}

func apply(ctx context.Context, db *sql.DB, text string, version int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return err
	}
	return tx.Commit()
}
