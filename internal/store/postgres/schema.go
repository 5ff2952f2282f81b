package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// schemaLock is the advisory lock that makes instances that start together wait while the first makes the schema.
const schemaLock = 0x62726F6B65726167 // "brokerag"

// defaultShards is the number of shards of a distributed table for distribute=true. At most that many nodes share it.
const defaultShards = 32

// maxShards is the largest number of shards that a URL may ask for.
const maxShards = 1024

// wanted is what a URL asks for besides a database.
type wanted struct {
	shards int    // distribute; 0: not distributed
	mode   string // "pure", "keys" or ""
}

// The modes of a database, as the parameter mode of a URL names them. They decide what search_securities and
// customer_max_order read.
const (
	modeKeys = "keys" // tables that the service fills when it writes a document
	modePure = "pure" // the documents alone, through indexes on expressions over them
)

var errPureDistributed = errors.New("mode=pure excludes distribute: a cluster finds documents by tables of keys")

// takeWanted reads the parameters of a URL that are not for the server, and removes them.
func takeWanted(parameters map[string]string) (w wanted, err error) {
	switch w.mode = parameters["mode"]; w.mode {
	case "", modeKeys, modePure:
	default:
		return w, fmt.Errorf("mode %.20q in the URL is neither %s nor %s", w.mode, modeKeys, modePure)
	}
	switch distribute := parameters["distribute"]; distribute {
	case "", "false":
	case "true":
		w.shards = defaultShards
	default:
		if w.shards, err = strconv.Atoi(distribute); err != nil || w.shards < 1 || w.shards > maxShards {
			return w, fmt.Errorf("distribute=%.20s in the URL is neither true nor a number of shards from 1 to %d",
				distribute, maxShards)
		}
	}
	if w.mode == modePure && w.shards > 0 {
		return w, errPureDistributed
	}
	delete(parameters, "mode")
	delete(parameters, "distribute")
	return w, nil
}

// schema returns the statements that make the schema.
func (w wanted) schema() string {
	parts := []string{w.read("tables"), w.read("grants")}
	if w.mode == modePure {
		parts = append(parts, w.read("pure"))
	}
	if w.shards > 0 {
		parts = append(parts, w.read("distribute"))
	}
	return strings.Join(parts, "\n\n")
}

// read returns the statements in a file of the folder schema.
func (w wanted) read(name string) string {
	text, err := schemaFiles.ReadFile("schema/" + name + ".sql")
	if err != nil {
		panic(err) // it is embedded
	}
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "SHARDS", strconv.Itoa(w.shards))
}

// schemaScript returns the SQL of the schema that a URL asks for, to be read, or to be run in an empty database by
// psql --set ON_ERROR_STOP=1.
func schemaScript(url string) (string, error) {
	_, w, err := parseURL(url)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("-- The schema of brokerage in PostgreSQL, version %d, for an empty database. Run by its owner.\n"+
		"\nBEGIN;\n\n%s\n\nCOMMIT;\n", store.SchemaVersion, w.schema()), nil
}

// Made reports whether Open has made the schema.
func (s *Store) Made() bool { return s.made }

// ensureSchema makes the schema in an empty database. It refuses a schema of another version or program, and tables
// that are not what the URL asks for.
func (s *Store) ensureSchema(ctx context.Context, conn *pgx.Conn, w wanted) (err error) {
	s.stamp, s.made, err = store.Schema{
		Stamp: func(ctx context.Context) (store.Stamp, bool, error) { return stampOf(ctx, conn) },
		Make:  func(ctx context.Context) (bool, error) { return s.makeSchema(ctx, conn, w) },
	}.Ensure(ctx, s.options.AsIs)
	if err == nil {
		err = s.findTables(ctx, conn)
	}
	switch has := s.mode(); {
	case err != nil:
		return err
	case w.shards > 0 && s.pure:
		return errPureDistributed
	case w.shards > 0 && !s.distributed:
		return errors.New("the database has tables that are not distributed: make a backup, and restore it into a new " +
			"database (docs/scaling.md)")
	case w.mode != "" && w.mode != has:
		return fmt.Errorf("the database has the mode %s, but the URL asks for %s: load the data into a new database "+
			"(docs/postgres.md)", has, w.mode)
	case s.distributed && !s.hidden.distributed:
		return s.inspectCluster(ctx, conn)
	}
	return nil
}

func (s *Store) mode() string {
	if s.pure {
		return modePure
	}
	return modeKeys
}

// findTables finds out whether the tables of a database are distributed, and which mode they are for. It returns an
// error in one line if only some are distributed.
func (s *Store) findTables(ctx context.Context, q querier) error {
	var citus bool
	err := q.QueryRow(ctx, `SELECT to_regclass('brokerage.account_orders') IS NULL,
		to_regclass('pg_dist_partition') IS NOT NULL`).Scan(&s.pure, &citus)
	if err != nil || !citus {
		s.distributed = s.hidden.distributed
		return err
	}
	var local []string
	err = q.QueryRow(ctx, `SELECT count(logicalrelid) > 0, coalesce(array_agg(relname::text ORDER BY relname)
			FILTER (WHERE logicalrelid IS NULL), '{}')
		FROM pg_class LEFT JOIN pg_dist_partition ON logicalrelid = oid
		WHERE relnamespace = 'brokerage'::regnamespace AND relkind = 'r'`).Scan(&s.distributed, &local)
	if err == nil && s.distributed && len(local) > 0 {
		err = fmt.Errorf("some tables of the schema brokerage are distributed, and others are not: %s: "+
			"drop the schema, and let brokerage migrate make it", strings.Join(local, ", "))
	}
	return err
}

// makeSchema makes the schema in one transaction, unless another instance has done so while this one waited.
func (s *Store) makeSchema(ctx context.Context, conn *pgx.Conn, w wanted) (made bool, err error) {
	if w.shards > 0 {
		if err := s.requireCluster(ctx, conn); err != nil {
			return false, err
		}
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(schemaLock)); err != nil {
			return err
		}
		if _, made, err = stampOf(ctx, tx); err != nil || !made {
			return err
		}
		if _, err := tx.Exec(ctx, w.schema()); err != nil {
			return fmt.Errorf("making the schema: %w", err)
		}
		return nil
	})
	if made && isForbidden(err) {
		err = fmt.Errorf("the database has no schema, and role %s may not create it: "+
			"run brokerage migrate as the owner (docs/postgres.md): %w", conn.Config().User, err)
	}
	return made && err == nil, err
}

// A querier is a pool, a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// stampOf returns the stamp of a database, and reports whether the database is empty. It refuses one whose schema
// brokerage belongs to another program.
func stampOf(ctx context.Context, q querier) (stamp store.Stamp, empty bool, err error) {
	var ours bool
	err = q.QueryRow(ctx, `SELECT count(*) = 0, count(*) FILTER (WHERE relname IN ('orders', 'customers', 'securities',
		'accounts', 'settings')) = 5 FROM pg_class WHERE relnamespace = to_regnamespace('brokerage')`).Scan(&empty, &ours)
	if err != nil || empty {
		return stamp, empty, err
	}
	if !ours {
		return stamp, false, errors.New("the database has a schema brokerage of another program")
	}
	err = q.QueryRow(ctx, `SELECT coalesce(max(value) FILTER (WHERE name = $1), '0')::int,
		coalesce(max(value) FILTER (WHERE name = $2), '') FROM brokerage.settings WHERE name IN ($1, $2)`,
		store.SettingVersion, store.SettingIdentity).Scan(&stamp.Version, &stamp.Identity)
	return stamp, false, err
}

// faithful returns where each transaction does its work on XML. Queries and inserts are SQL/XML, but two queries use
// columns unless pure. PostgreSQL cannot update a part of a document (ADR 0028). A single server deletes an order by
// columns alone; to delete a customer, the service reads its accounts from the document.
func faithful(pure bool) map[string]tpox.Fidelity {
	return tpox.FidelityBy(func(t *tpox.Transaction) tpox.Fidelity {
		searches := t.Name == "search_securities" || t.Name == "customer_max_order"
		switch {
		case t.Kind == tpox.Update:
			return tpox.EditedInService
		case t.Name == "delete_customer":
			return tpox.InService
		case t.Kind == tpox.Delete, searches && !pure:
			return tpox.FromColumns
		default:
			return tpox.InDatabase
		}
	})
}
