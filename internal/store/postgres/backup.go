package postgres

import (
	"bufio"
	"cmp"
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

// endOfData is the line that ends the data of a table in a backup.
const endOfData = "\\.\n"

// snapshot holds the options of a transaction that reads one state of the database.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// anyDocument finds out whether there is a document.
const anyDocument = `SELECT EXISTS (SELECT id FROM brokerage.customers LIMIT 1)
	OR EXISTS (SELECT id FROM brokerage.orders LIMIT 1) OR EXISTS (SELECT symbol FROM brokerage.securities LIMIT 1)`

// copyFrom returns the command that precedes the data of the table.
func (t tableCopy) copyFrom() string {
	return fmt.Sprintf("COPY brokerage.%s (%s) FROM STDIN", t.table, t.columns)
}

// backup writes a snapshot of the database to a file, while others may write: for each table a COPY command and its
// data, compressed. The file appears once all of it is on disk, and only its owner can read it. backup returns its
// manifest and its size in bytes. A cluster is refused, because it has no snapshot of all nodes.
func (s *Store) backup(
	ctx context.Context, path string, o store.CopyOptions,
) (m store.Manifest, written int64, err error) {
	if s.distributed {
		return m, 0, errors.New("a Citus cluster has no snapshot of all nodes that a backup could copy: " +
			"docs/scaling.md shows how to back up its nodes together")
	}
	var held tpox.Contents
	if err := s.Setting(ctx, store.SettingContents, &held); err != nil {
		return m, 0, err
	}
	m = store.Manifest{
		Format: store.BackupFormat, Engine: Scheme, Schema: s.stamp.Version, Identity: s.stamp.Identity, Layout: s.mode(),
		Fingerprint: held.Fingerprint, Time: time.Now().UTC().Truncate(time.Second),
	}
	if err := store.MayReplace(path, m); err != nil {
		return m, 0, err
	}
	file := output.File{Path: path, Kind: output.Backup, New: !o.Replace, Mode: 0o600}
	err = file.Write(ctx, func(half *os.File) error {
		out := store.NewDigest(half)
		packer, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return err
		}
		raw := store.NewDigest(packer)
		err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
			return s.copyTo(ctx, tx, raw, o.Progress)
		})
		if err := errors.Join(err, packer.Close()); err != nil {
			return err
		}
		m.Bytes, m.SHA256 = raw.Bytes, raw.Sum()
		err = m.Seal(out)
		written = out.Bytes
		return err
	})
	if err != nil {
		err = cmp.Or(ctx.Err(), err)
	}
	return m, written, err
}

// copyTo writes all tables.
func (s *Store) copyTo(ctx context.Context, tx pgx.Tx, raw *store.Digest, progress func(done, total int64)) error {
	var total int64 // an estimate of all data, most of which is stored compressed
	if err := tx.QueryRow(ctx, "SELECT pg_database_size(current_database()) * 3 / 2").Scan(&total); err != nil {
		return err
	}
	for _, t := range s.tables() {
		if _, err := io.WriteString(raw, t.copyFrom()+"\n"); err != nil {
			return err
		}
		data := fmt.Sprintf("COPY (SELECT %s FROM brokerage.%s) TO STDOUT", t.columns, t.table)
		if _, err := tx.Conn().PgConn().CopyTo(ctx, raw, data); err != nil {
			return err
		}
		if _, err := io.WriteString(raw, endOfData); err != nil {
			return err
		}
		if progress != nil {
			progress(raw.Bytes, max(raw.Bytes, total))
		}
	}
	return nil
}

// restore restores a backup of one server, on one server or a cluster, in one transaction, which commits when all of
// the backup has been read and verified. A database that holds documents is replaced only with o.Replace. Nothing
// should use the database: the tables are locked, so readers and writers wait, and find other content afterwards.
func (s *Store) restore(ctx context.Context, file string, o store.CopyOptions) (m store.Manifest, err error) {
	b, err := store.OpenBackup(file, Scheme)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if m = b.Manifest; m.Layout != s.mode() {
		return m, fmt.Errorf("%s is a backup of a database in mode %[2]s, but this database is in mode %s: restore it with "+
			"mode=%[2]s in the URL of an empty database",
			file, m.Layout, s.mode())
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		all := names(s.tables())
		if _, err := tx.Exec(ctx, "LOCK TABLE "+all+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		if !o.Replace {
			var filled bool
			if err := tx.QueryRow(ctx, anyDocument).Scan(&filled); err != nil {
				return err
			}
			if filled {
				return errors.New("the database is not empty: --replace replaces its contents")
			}
		}
		if _, err := tx.Exec(ctx, "TRUNCATE "+all); err != nil {
			return err
		}
		reader, feed := io.Pipe()
		unpacked := make(chan error, 1)
		go func() {
			done := int64(0)
			err := b.Unpack(ctx, feed, func(n int64) {
				if done += n; o.Progress != nil {
					o.Progress(done, m.Bytes)
				}
			})
			unpacked <- err
			_ = feed.CloseWithError(err) // always nil
		}()
		err := s.copyTables(ctx, tx, bufio.NewReaderSize(reader, 1<<20))
		_ = reader.CloseWithError(errEnded) // always nil
		failed := <-unpacked
		if err != nil && errors.Is(failed, errEnded) {
			failed = nil // the cause is err
		}
		return cmp.Or(failed, err) // if it is not complete, nothing is committed
	})
	if err == nil {
		_, err = s.pool.Exec(ctx, s.afterLoad())
	}
	if err != nil {
		err = cmp.Or(ctx.Err(), err)
	}
	return m, err
}

// errEnded ends the reading of a backup when no more of it is needed.
var errEnded = errors.New("the restore has ended")

// copyTables fills the tables from a backup.
func (s *Store) copyTables(ctx context.Context, tx pgx.Tx, from *bufio.Reader) error {
	for _, t := range s.tables() {
		command, err := from.ReadString('\n')
		if err == nil && command != t.copyFrom()+"\n" {
			err = fmt.Errorf("the backup is damaged or of another version: expected the table %[2]s, found %.100[1]q",
				command, t.table)
		}
		if err == nil {
			_, err = tx.Conn().PgConn().CopyFrom(ctx, &copyData{from: from}, t.copyFrom())
		}
		if err != nil {
			return err
		}
	}
	if _, err := from.ReadByte(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("the backup has more data after the last table"), err)
	}
	return nil
}

// copyData reads the data of one COPY, up to the line that ends it.
type copyData struct {
	from   *bufio.Reader
	line   []byte // the rest of the current line, or of a piece of it
	inside bool   // the next piece continues a line
}

func (c *copyData) Read(p []byte) (n int, err error) {
	if len(c.line) == 0 {
		c.line, err = c.from.ReadSlice('\n') // in pieces, because a file may have lines of any length
		partial := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil && !partial:
			return 0, err
		case !c.inside && string(c.line) == endOfData:
			c.line = nil
			return 0, io.EOF
		}
		c.inside = partial
	}
	n = copy(p, c.line)
	c.line = c.line[n:]
	return n, nil
}
