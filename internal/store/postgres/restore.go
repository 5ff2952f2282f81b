package postgres

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
)

// Restore restores the state of the backup in one transaction: until that commits, others see the old content, which
// also remains after an interruption. Nothing is changed before the whole backup has been read and verified; a database
// that holds something is replaced only with replace. Nothing should use the database: writers wait, and find other
// content afterwards.
func (s *Store) Restore(
	ctx context.Context, file string, replace bool, progress func(done, total int64),
) (m store.Manifest, err error) {
	b, err := store.OpenBackup(file, Scheme)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	m = b.Manifest
	of := schemaOf(wantedLayout{name: cmp.Or(m.Layout, layoutSingle), shards: DefaultShards})
	if m.Layout != "" && s.layoutName == layoutSingle {
		return m, fmt.Errorf("%s is of a database with the layout %s, and this one has the layout %s: "+
			"only the opposite is possible", file, m.Layout, s.layoutName)
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
	if err := s.restoreFrom(ctx, b, of, replace, read); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return m, err
	}
	_, err = s.pool.Exec(ctx, s.schema.afterLoad)
	return m, err
}

// requireEmpty returns an error for a database that holds something.
func requireEmpty(ctx context.Context, q querier) error {
	var something bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM brokerage.orders) OR EXISTS (SELECT FROM brokerage.customers)
		OR EXISTS (SELECT FROM brokerage.securities)`).Scan(&something)
	if err == nil && something {
		err = errors.New("the database is not empty: --replace replaces its contents")
	}
	return err
}

func (s *Store) restoreFrom(
	ctx context.Context, b *store.BackupFile, of *schema, replace bool, read func(int64),
) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var tables []string
		for _, t := range s.schema.tables {
			tables = append(tables, "brokerage."+t.table)
		}
		all := strings.Join(tables, ", ")
		if _, err := tx.Exec(ctx, "LOCK TABLE "+all+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		if !replace {
			if err := requireEmpty(ctx, tx); err != nil { // it may have changed since
				return err
			}
		}
		if err := execEach(ctx, tx, "TRUNCATE "+all+";"+s.schema.beginLoad); err != nil {
			return err
		}
		script, feed := io.Pipe()
		unpacked := make(chan error, 1)
		go func() {
			err := b.Unpack(ctx, feed, read)
			unpacked <- err
			_ = feed.CloseWithError(err) // always nil
		}()
		err := s.runScript(ctx, tx, of, bufio.NewReaderSize(script, 1<<20))
		_ = script.CloseWithError(errors.New("the restore has ended")) // always nil
		if unpackErr := <-unpacked; err == nil {
			err = unpackErr // complete, or nothing is committed
		}
		if err != nil {
			return err
		}
		return execEach(ctx, tx, s.schema.endLoad)
	})
}

// runScript runs the script of a backup of a schema: COPY commands with their data, and nothing else.
func (s *Store) runScript(ctx context.Context, tx pgx.Tx, of *schema, script *bufio.Reader) error {
	for {
		line, err := script.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		sql, ok := strings.CutSuffix(string(line), ";\n")
		if sql == emptyNew {
			continue // all tables are empty here
		}
		i := slices.IndexFunc(of.tables, func(t tableCopy) bool { return sql == t.copyFrom() })
		if !ok || i < 0 {
			return fmt.Errorf("the backup has a line that this program does not write: %.100q", line)
		}
		if data := (&copyData{from: script}); slices.Contains(s.schema.tables, of.tables[i]) {
			_, err = tx.Conn().PgConn().CopyFrom(ctx, data, sql)
		} else {
			err = s.convert(ctx, tx, of.tables[i].table, bufio.NewReaderSize(data, 1<<20))
		}
		if err != nil {
			return err
		}
	}
}

// copyData reads the data of one COPY, up to the line that ends it.
type copyData struct {
	from  *bufio.Reader
	line  []byte // the rest of the current line
	inner bool   // the next piece continues a line
}

func (c *copyData) Read(p []byte) (n int, err error) {
	if len(c.line) == 0 {
		c.line, err = c.from.ReadSlice('\n')
		partial := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil && !partial:
			return 0, err
		case !c.inner && string(c.line) == endOfData:
			return 0, io.EOF
		}
		c.inner = partial
	}
	n = copy(p, c.line)
	c.line = c.line[n:]
	return n, nil
}
