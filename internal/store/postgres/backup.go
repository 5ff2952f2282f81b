package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"

	"brokerage/internal/output"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A tableCopy is a table in a backup, with its columns that are not generated.
type tableCopy struct{ table, columns string }

// backedUp are the tables of a backup, in the order of a restore. Accounts are made from customers.
var backedUp = []tableCopy{
	{"securities", "doc"},
	{"customers", "doc"},
	{"orders", "customer, doc"},
	{"settings", "name, value"},
	{"leases", "kind, next"},
	{"answers", "client, key, hash, answer, expires"},
}

// spreadBackedUp are those of the spread layout. A cluster has no backup by this program.
var spreadBackedUp = []tableCopy{
	{"securities", "symbol, doc"},
	{"security_search", "symbol, sector, pe, yield, name, type, pe_text, yield_text"},
	{"customers", "customer, elsewhere, doc"},
	{"orders", "home, id, doc"},
	{"account_homes", "account, home, customer"},
	{"order_homes", "id, home"},
	{"settings", "name, value"},
	{"leases", "kind, next"},
	{"answers", "slot, client, key, hash, answer, expires"},
}

// copyFrom returns the command that precedes the data of the table.
func (t tableCopy) copyFrom() string {
	return fmt.Sprintf("COPY brokerage.%s (%s) FROM stdin", t.table, t.columns)
}

const (
	// emptyNew comes before the data of settings and leases, because a new schema has rows there.
	emptyNew = "TRUNCATE brokerage.settings, brokerage.leases"
	// endOfData is the line that ends the data of a table.
	endOfData = "\\.\n"
)

// snapshot are the options of a transaction that reads one state of the database.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// BackupTo writes a backup to a file, which appears once all of it is on disk; when it fails, no file of that name is
// left, or the one that was there. Only its owner can read the file. BackupTo returns the size of the file in bytes.
func (s *Store) BackupTo(
	ctx context.Context, file string, replace bool, progress func(done, total int64),
) (m store.Manifest, written int64, err error) {
	if s.layoutName == layoutCitus {
		return m, 0, errors.New("a Citus cluster has no snapshot of all nodes that a backup could copy: " +
			"docs/scaling.md says how its nodes are backed up together")
	}
	out := output.File{Path: file, Kind: output.Backup, New: !replace, Mode: 0o600}
	err = out.Write(ctx, func(half *os.File) error {
		m, written, err = s.backup(ctx, half, progress)
		return err
	})
	return m, written, err
}

// backup writes a backup of the state at the beginning, while others may write. It is a script for psql of
// COPY commands and their data, compressed, so that `zstd -dc FILE | psql` restores it without this program, into an
// empty database with the schema.
func (s *Store) backup(
	ctx context.Context, to io.Writer, progress func(done, total int64),
) (m store.Manifest, written int64, err error) {
	out := store.NewDigest(to)
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if m, err = s.manifest(ctx, tx); err != nil {
			return err
		}
		// An estimate of all documents: tables other than orders are compressed.
		var total int64
		err := tx.QueryRow(ctx, `SELECT (pg_table_size('brokerage.orders') + 2.2 * pg_table_size('brokerage.customers')
			+ 1.4 * pg_table_size('brokerage.securities'))::bigint`).Scan(&total)
		if err != nil {
			return err
		}
		packer, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return err
		}
		raw := store.NewDigest(&progressWriter{to: packer, total: total, report: progress})
		if err := s.writeTables(ctx, tx, raw); err != nil {
			return err
		}
		if err := packer.Close(); err != nil {
			return err
		}
		m.Bytes, m.SHA256 = raw.Bytes, raw.Sum()
		return m.Seal(out)
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return m, out.Bytes, err
}

// writeTables writes a COPY command with its data for each table.
func (s *Store) writeTables(ctx context.Context, tx pgx.Tx, to io.Writer) error {
	for _, t := range s.schema.tables {
		head := t.copyFrom() + ";\n"
		if t.table == "settings" {
			head = emptyNew + ";\n" + head
		}
		if _, err := io.WriteString(to, head); err != nil {
			return err
		}
		data := fmt.Sprintf("COPY (SELECT %s FROM brokerage.%s) TO STDOUT", t.columns, t.table)
		if _, err := tx.Conn().PgConn().CopyTo(ctx, to, data); err != nil {
			return err
		}
		if _, err := io.WriteString(to, endOfData); err != nil {
			return err
		}
	}
	return nil
}

// manifest returns the manifest of the database as the transaction sees it.
func (s *Store) manifest(ctx context.Context, tx pgx.Tx) (m store.Manifest, err error) {
	m = store.Manifest{Format: store.BackupFormat, Engine: Scheme, Time: time.Now().UTC().Truncate(time.Second)}
	if s.layoutName != layoutSingle {
		m.Layout = s.layoutName
	}
	stamp, _, err := stampOf(ctx, tx)
	if err != nil {
		return m, err
	}
	m.Schema, m.Identity = stamp.Version, stamp.Identity
	ledger := store.Ledger{Text: func(ctx context.Context, name string) (text string, err error) {
		if err = tx.QueryRow(ctx, statements["get_setting"], name).Scan(&text); noRows(err) {
			err = nil
		}
		return text, err
	}}
	var c tpox.Contents
	err = ledger.Setting(ctx, store.SettingContents, &c)
	m.Fingerprint = c.Fingerprint
	return m, err
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
	if w.report != nil && w.done-w.reported >= store.BackupProgressBytes {
		w.reported = w.done
		w.report(w.done, max(w.done, w.total))
	}
	return n, err
}
