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

// engine is how backups say whose they are.
const engine = "postgres"

// Summary is what a backup has done.
type Summary struct {
	archive.Manifest

	Written int64 // bytes of the backup
}

// backedUp are the tables of a backup, with the columns that are not generated,
// in the order in which a restore needs them: accounts come with their customers.
var backedUp = []struct{ table, columns string }{
	{"securities", "doc"},
	{"customers", "doc"},
	{"orders", "customer, doc"},
	{"settings", "name, value"},
	{"leases", "kind, next"},
	{"answers", "client, key, hash, answer, expires"},
}

// emptyLeases comes before the leases, of which a new schema has the first.
const emptyLeases = "TRUNCATE brokerage.leases"

// Backup writes a backup of the database, which others may be writing to
// meanwhile: it is the state at one moment, that of the beginning. It is a script
// for psql of COPY commands and their data, packed, so that `zstd -dc FILE | psql`
// restores it without this program, into an empty database with the schema.
func (s *Store) Backup(ctx context.Context, to io.Writer, progress func(done, total int64)) (sum Summary, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
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
		raw := archive.NewDigest(&teller{to: packer, total: total, tell: progress})
		for _, t := range backedUp {
			if t.table == "leases" {
				if _, err := io.WriteString(raw, emptyLeases+";\n"); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintf(raw, "COPY brokerage.%s (%s) FROM stdin;\n", t.table, t.columns); err != nil {
				return err
			}
			copySQL := fmt.Sprintf("COPY (SELECT %s FROM brokerage.%s) TO STDOUT", t.columns, t.table)
			if _, err := tx.Conn().PgConn().CopyTo(ctx, raw, copySQL); err != nil {
				return err
			}
			if _, err := io.WriteString(raw, "\\.\n"); err != nil {
				return err
			}
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

// BackupTo is Backup to a file, which comes to be when all of it is on disk:
// whatever ends it before leaves no file of that name, or the one that was there.
// Only its owner can read it.
func (s *Store) BackupTo(ctx context.Context, file string, replace bool, progress func(done, total int64)) (sum Summary, err error) {
	if err := archive.Free(file, replace); err != nil {
		return sum, err
	}
	err = archive.WriteWhole(ctx, file, 0o600, func(half *os.File) error {
		if sum, err = s.Backup(ctx, half, progress); err != nil {
			return err
		}
		return archive.Free(file, replace) // it may have come meanwhile
	})
	return sum, err
}

// describe says what the database is at the moment of the transaction.
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
	err = tx.QueryRow(ctx, "SELECT coalesce((SELECT value FROM brokerage.settings WHERE name = $1), '{}')", bulk.SettingContents).Scan(&contents)
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

// newestSchema is the newest version of the schema that this program knows.
func newestSchema() (int, error) {
	_, names, err := Options{}.migrations()
	return len(names), err
}

// heldBytes is about how large all documents are, for a progress: what tables take
// is compressed, but for orders.
func heldBytes(ctx context.Context, q querier) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT (pg_table_size('brokerage.orders') + 2.2 * pg_table_size('brokerage.customers')
		+ 1.4 * pg_table_size('brokerage.securities'))::bigint`).Scan(&n)
	return n, err
}

// teller tells how far a stream has come.
type teller struct {
	to                io.Writer
	done, told, total int64
	tell              func(done, total int64)
}

func (t *teller) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	t.done += int64(n)
	if t.tell != nil && t.done-t.told >= archive.ProgressBytes {
		t.told = t.done
		t.tell(t.done, max(t.done, t.total))
	}
	return n, err
}

// ReadManifest is what a backup says of itself. That it is right only Restore
// knows, which reads all of it.
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
