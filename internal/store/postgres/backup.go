package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/archive"
	"brokerage/internal/store/bulk"
)

// engine names this store in the manifest of a backup.
const engine = "postgres"

// Summary describes a finished backup.
type Summary struct {
	archive.Manifest

	Written int64 // size of the backup in bytes
}

// backedUp are the tables of a backup with their columns that are not generated, in the order of a restore. Accounts
// are made from customers.
var backedUp = []struct{ table, columns string }{
	{"securities", "doc"},
	{"customers", "doc"},
	{"orders", "customer, doc"},
	{"settings", "name, value"},
	{"leases", "kind, next"},
	{"answers", "client, key, hash, answer, expires"},
}

// emptyLeases comes before the data of leases, because a new schema has rows there.
const emptyLeases = "TRUNCATE brokerage.leases"

// Backup writes a backup of the database as it is at the beginning, while others may write. It is a script for psql of
// COPY commands and their data, compressed, so that `zstd -dc FILE | psql` restores it without this program, into an
// empty database with the schema.
func (s *Store) Backup(
	ctx context.Context, to io.Writer, progress func(done, total int64),
) (sum Summary, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if sum.Manifest, err = describe(ctx, tx); err != nil {
			return err
		}
		total, err := heldBytes(ctx, tx)
		if err != nil {
			return err
		}
		out := archive.NewDigest(to)
		packer, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return err
		}
		raw := archive.NewDigest(&progressWriter{to: packer, total: total, report: progress})
		if err := writeTables(ctx, tx, raw); err != nil {
			return err
		}
		if err := packer.Close(); err != nil {
			return err
		}
		sum.Bytes, sum.SHA256 = raw.Bytes, raw.Sum()
		if err := sum.Seal(out); err != nil {
			return err
		}
		sum.Written = out.Bytes
		return nil
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return sum, err
}

// snapshot are the options of a transaction that reads the database as it is at one moment.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// writeTables writes a COPY command with its data for each table.
func writeTables(ctx context.Context, tx pgx.Tx, to io.Writer) error {
	for _, t := range backedUp {
		if t.table == "leases" {
			if _, err := io.WriteString(to, emptyLeases+";\n"); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(to, "COPY brokerage.%s (%s) FROM stdin;\n", t.table, t.columns); err != nil {
			return err
		}
		copySQL := fmt.Sprintf("COPY (SELECT %s FROM brokerage.%s) TO STDOUT", t.columns, t.table)
		if _, err := tx.Conn().PgConn().CopyTo(ctx, to, copySQL); err != nil {
			return err
		}
		if _, err := io.WriteString(to, "\\.\n"); err != nil {
			return err
		}
	}
	return nil
}

// BackupTo writes a backup to a file, which appears once all of it is on disk; when it fails, no file of that name is
// left, or the one that was there. Only its owner can read the file.
func (s *Store) BackupTo(
	ctx context.Context, file string, replace bool, progress func(done, total int64),
) (sum Summary, err error) {
	if err := archive.Free(file, replace); err != nil {
		return sum, err
	}
	err = archive.WriteWhole(ctx, file, 0o600, func(half *os.File) error {
		if sum, err = s.Backup(ctx, half, progress); err != nil {
			return err
		}
		return archive.Free(file, replace) // a file may have appeared since
	})
	return sum, err
}

// describe returns the manifest of the database as the transaction sees it.
func describe(ctx context.Context, tx pgx.Tx) (m archive.Manifest, err error) {
	m = archive.Manifest{Format: archive.Format, Engine: engine, Time: time.Now().UTC().Truncate(time.Second)}
	newest, err := newestSchema()
	if err != nil {
		return m, err
	}
	if m.Schema, err = versionOf(ctx, tx, newest); err != nil {
		return m, err
	}
	var contents string
	err = tx.QueryRow(ctx, "SELECT coalesce((SELECT value FROM brokerage.settings WHERE name = $1), '{}')",
		bulk.SettingContents).Scan(&contents)
	if err != nil {
		return m, err
	}
	var c brokerage.Contents
	if err := json.Unmarshal([]byte(contents), &c); err != nil {
		return m, fmt.Errorf("what the database holds: %w", err)
	}
	m.Fingerprint = c.Fingerprint
	return m, nil
}

// newestSchema returns the newest version of the schema that this program supports.
func newestSchema() (int, error) {
	_, names, err := Options{}.migrations()
	return len(names), err
}

// heldBytes estimates the size of all documents in bytes, for progress: tables other than orders are compressed.
func heldBytes(ctx context.Context, q querier) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT (pg_table_size('brokerage.orders') + 2.2 * pg_table_size('brokerage.customers')
		+ 1.4 * pg_table_size('brokerage.securities'))::bigint`).Scan(&n)
	return n, err
}

// A progressWriter reports how many bytes were written to it.
type progressWriter struct {
	to                    io.Writer
	done, reported, total int64 // bytes
	report                func(done, total int64)
}

func (w *progressWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.done += int64(n)
	if w.report != nil && w.done-w.reported >= archive.ProgressBytes {
		w.reported = w.done
		w.report(w.done, max(w.done, w.total))
	}
	return n, err
}

// ReadManifest returns the manifest of a backup. Only Restore, which reads all of it, verifies it.
func ReadManifest(file string) (archive.Manifest, error) {
	b, err := openBackup(file)
	if err != nil {
		return archive.Manifest{}, err
	}
	return b.Manifest, b.Close()
}

func openBackup(file string) (*archive.File, error) {
	newest, err := newestSchema()
	if err != nil {
		return nil, err
	}
	return archive.Open(file, engine, newest)
}
