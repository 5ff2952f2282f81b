package postgres

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store/archive"
)

// Restore makes the database what it was when the backup was taken, in one transaction: until that commits, others see
// the old content, and after an interruption that is what is left. Nothing is changed before the whole backup has been
// read and verified; a database that holds something is replaced only with replace. Nothing should use the database:
// writers wait, and find other content afterwards.
func (s *Store) Restore(
	ctx context.Context, file string, replace bool, progress func(done, total int64),
) (m archive.Manifest, err error) {
	b, err := openBackup(file)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	m = b.Manifest
	newest, err := newestSchema()
	if err != nil {
		return m, err
	}
	if m.Schema != newest {
		return m, fmt.Errorf("%s is of schema version %d, and the database has %d: "+
			"restore it with the program that made it, and migrate then", file, m.Schema, newest)
	}
	if !replace {
		if err := requireEmpty(ctx, s.pool); err != nil {
			return m, err
		}
	}
	done := int64(0)
	read := func(n int64) { // the backup is unpacked twice: first to verify it
		if done += n; progress != nil {
			progress(done, 2*m.Bytes)
		}
	}
	if err := b.Unpack(ctx, io.Discard, read); err != nil {
		return m, err
	}
	if err := s.restoreFrom(ctx, b, replace, read); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return m, err
	}
	_, err = s.pool.Exec(ctx, afterLoad)
	return m, err
}

// requireEmpty returns an error for a database that holds something.
func requireEmpty(ctx context.Context, q querier) error {
	var something bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM brokerage.orders) OR EXISTS (SELECT FROM brokerage.customers)
		OR EXISTS (SELECT FROM brokerage.securities)`).Scan(&something)
	if err == nil && something {
		err = errors.New("the database holds something already: --replace replaces it")
	}
	return err
}

func (s *Store) restoreFrom(ctx context.Context, b *archive.File, replace bool, read func(int64)) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, t := range backedUp {
			if _, err := tx.Exec(ctx, "LOCK TABLE brokerage."+t.table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
				return err
			}
		}
		if !replace {
			if err := requireEmpty(ctx, tx); err != nil { // it may have changed since
				return err
			}
		}
		for _, t := range backedUp {
			if _, err := tx.Exec(ctx, "TRUNCATE brokerage."+t.table); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, beginLoad); err != nil {
			return err
		}
		script, feed := io.Pipe()
		unpacked := make(chan error, 1)
		go func() {
			err := b.Unpack(ctx, feed, read)
			unpacked <- err
			_ = feed.CloseWithError(err) // always nil
		}()
		err := runScript(ctx, tx, bufio.NewReaderSize(script, 1<<20))
		_ = script.CloseWithError(errors.New("the restore has ended")) // always nil
		if unpackErr := <-unpacked; err == nil {
			err = unpackErr // whole, or nothing is committed
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, endLoad)
		return err
	})
}

// runScript runs the script of a backup: COPY commands with their data, and nothing else.
func runScript(ctx context.Context, tx pgx.Tx, script *bufio.Reader) error {
	for {
		line, err := script.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		sql, ok := bytes.CutSuffix(line, []byte(";\n"))
		if string(sql) == emptyLeases {
			continue // all tables are empty here
		}
		if !ok || !isCopy(string(sql)) {
			return fmt.Errorf("the backup has a line that this program does not write: %.100q", line)
		}
		if _, err := tx.Conn().PgConn().CopyFrom(ctx, &copyData{from: script}, string(sql)); err != nil {
			return err
		}
	}
}

// isCopy reports whether a command is one that a backup has.
func isCopy(sql string) bool {
	for _, t := range backedUp {
		if sql == fmt.Sprintf("COPY brokerage.%s (%s) FROM stdin", t.table, t.columns) {
			return true
		}
	}
	return false
}

// copyData reads the data of one COPY, up to the line that ends it.
type copyData struct {
	from  *bufio.Reader
	line  []byte // the rest of the current line
	inner bool   // the next piece continues a line
	ended bool
}

func (c *copyData) Read(p []byte) (n int, err error) {
	for n == 0 {
		if c.ended {
			return 0, io.EOF
		}
		if len(c.line) == 0 {
			c.line, err = c.from.ReadSlice('\n')
			switch {
			case errors.Is(err, io.EOF):
				return 0, io.ErrUnexpectedEOF
			case err != nil && !errors.Is(err, bufio.ErrBufferFull):
				return 0, err
			}
			whole := err == nil
			if !c.inner && string(c.line) == "\\.\n" {
				c.ended = true
				continue
			}
			c.inner = !whole
		}
		n = copy(p, c.line)
		c.line = c.line[n:]
	}
	return n, nil
}
