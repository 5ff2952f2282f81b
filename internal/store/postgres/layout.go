package postgres

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/sqlfiles"
)

// A layout is how documents are divided among tables and servers, and how the transactions that depend on that find
// them: on one server, or spread over partitions or nodes (ADR 0028).
type layout interface {
	GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error)
	CustomerMaxOrder(ctx context.Context, customer brokerage.ID) ([]byte, error)
	InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error)
	UpdateOrderStatus(ctx context.Context, w brokerage.Write, id brokerage.ID, stat string) ([]byte, error)
	DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error
	GetAccount(ctx context.Context, account brokerage.ID) (brokerage.Account, error)
	InsertCustomer(ctx context.Context, w brokerage.Write, doc []byte, validate bool) (brokerage.ID, error)
	ReplaceCustomer(
		ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match) error
	DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error
	OpenAccount(
		ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte) (brokerage.ID, error)
	CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error
	Trade(ctx context.Context, w brokerage.Write, account brokerage.ID, trade brokerage.Trade) ([]byte, error)
	ReplaceSecurity(
		ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match) error

	// copyDocuments inserts documents of a kind; keys are the results of bulk.KeysOf.
	copyDocuments(ctx context.Context, tx pgx.Tx, k dataset.Kind, docs [][]byte, keys []any) error
}

// single is the layout of one server: unique indexes and triggers see all documents.
type single struct{ *Store }

// spread is the layout whose tables are divided by their keys. A statement on documents names the key of one shard,
// which look-ups find; the service keeps these look-ups up to date.
type spread struct{ *Store }

// The layouts, as the parameter layout of a URL names them.
const (
	layoutSingle      = "single"      // one server
	layoutPartitioned = "partitioned" // one server, spread over partitions
	layoutCitus       = "citus"       // the nodes of a Citus cluster
)

// A schema describes the tables of a layout.
type schema struct {
	migrations []migration
	begin, end []migration // steps that each migration begins and ends with
	statements map[string]string
	tables     []tableCopy // of a backup, in the order of a restore
	checks     []string    // of the rows by which documents are found
	beginLoad  string
	endLoad    string
	afterLoad  string
}

// emptied returns the tables that hold what a load or a client brought, for TRUNCATE. Leases are a row for each kind,
// which stay.
func (in *schema) emptied() string {
	var names []string
	for _, t := range in.tables {
		if t.table != "leases" {
			names = append(names, "brokerage."+t.table)
		}
	}
	return strings.Join(names, ", ")
}

// DefaultShards is the default number of shards of each spread table. It bounds the number of nodes.
const DefaultShards = 32

//go:embed sql/spread/*.sql
var spreadFiles embed.FS

var spreadStatements = func() map[string]string {
	all := maps.Clone(statements)
	maps.Copy(all, sqlfiles.Read(spreadFiles, "sql/spread"))
	return all
}()

// schemaOf returns the schema of a layout. The number of shards counts when the tables are made.
func schemaOf(name string, shards int) *schema {
	if name == layoutSingle {
		return &schema{
			migrations: migrations, end: []migration{{"grants", grants}},
			statements: statements, tables: backedUp, checks: lookUpChecks,
			beginLoad: beginLoad, endLoad: endLoad, afterLoad: afterLoad,
		}
	}
	in := &schema{
		migrations: spreadMigrations(name, shards),
		end:        []migration{{"functions", migrationText("migrations/spread/functions.sql")}, {"grants", grants}},
		statements: spreadStatements, tables: spreadBackedUp, checks: spreadChecks,
		beginLoad: beginLoad, endLoad: spreadEndLoad, afterLoad: spreadAfterLoad,
	}
	if name == layoutCitus {
		in.begin = []migration{{"one node at a time", oneNodeAtATime}}
	}
	return in
}

// partitionBy declares a table as partitioned, which one of Citus is not.
var partitionBy = regexp.MustCompile(` PARTITION BY HASH \(\w+\)`)

// use makes the store one of a layout.
func (s *Store) use(name string, shards int) {
	s.layoutName, s.schema, s.layout = name, schemaOf(name, shards), single{s}
	if name != layoutSingle {
		s.layout = spread{s}
	}
	if s.options.migrations != nil {
		s.schema.migrations = s.options.migrations
	}
}

// sql returns a statement of the layout.
func (s *Store) sql(name string) string { return s.schema.statements[name] }

// findLayout returns the layout of the database, "" for one without tables.
func findLayout(ctx context.Context, q querier) (name string, err error) {
	var made, spread, cluster bool
	err = q.QueryRow(ctx, `SELECT to_regclass('brokerage.schema_versions') IS NOT NULL,
		to_regclass('brokerage.order_homes') IS NOT NULL, to_regclass('pg_dist_partition') IS NOT NULL`).
		Scan(&made, &spread, &cluster)
	switch {
	case err != nil || !made:
		return "", err
	case !spread:
		return layoutSingle, nil
	case cluster:
		err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_dist_partition
			WHERE logicalrelid = 'brokerage.orders'::regclass)`).Scan(&cluster)
	}
	if cluster {
		return layoutCitus, err
	}
	return layoutPartitioned, err
}

// chooseLayout finds the layout of the database, or takes the one that the URL wants for a database without tables.
func (s *Store) chooseLayout(ctx context.Context, conn *pgx.Conn) error {
	found, err := findLayout(ctx, conn)
	if err != nil {
		return err
	}
	wanted := s.wanted.name
	if found != "" && wanted != "" && found != wanted {
		return fmt.Errorf("the database has the layout %s, and the URL asks for %s: brokerage backup and restore "+
			"copy it to a database of another layout (docs/scaling.md)", found, wanted)
	}
	for _, name := range []string{found, wanted, layoutSingle} {
		if name != "" {
			s.use(name, s.wanted.shards)
			break
		}
	}
	if s.layoutName == layoutCitus {
		return s.inspectCluster(ctx, conn)
	}
	return nil
}

// wantedLayout is the layout that a URL asks for; its name is empty if the URL asks for none.
type wantedLayout struct {
	name   string
	shards int
}

// IsCluster reports whether a URL asks for the layout of a Citus cluster.
func IsCluster(url string) bool {
	_, wanted, err := parseURL(url)
	return err == nil && wanted.name == layoutCitus
}

// takeLayout reads the parameters of a URL that are about the layout, and removes them: the server does not know them.
func takeLayout(parameters map[string]string) (w wantedLayout, err error) {
	w.name, w.shards = parameters["layout"], DefaultShards
	switch w.name {
	case "", layoutSingle, layoutPartitioned, layoutCitus:
	default:
		return w, fmt.Errorf("layout %.20q in the URL is none of %s, %s and %s",
			w.name, layoutSingle, layoutPartitioned, layoutCitus)
	}
	if text, said := parameters["shards"]; said {
		w.shards, err = strconv.Atoi(text)
		switch {
		case err != nil || w.shards < 1 || w.shards > maxShards:
			return w, fmt.Errorf("shards=%.20s in the URL is not a number from 1 to %d", text, maxShards)
		case w.name == "" || w.name == layoutSingle:
			return w, fmt.Errorf("shards in the URL are for layout=%s or %s", layoutPartitioned, layoutCitus)
		}
	}
	delete(parameters, "layout")
	delete(parameters, "shards")
	return w, nil
}

// maxShards is the largest number of shards that a URL may ask for.
const maxShards = 1024

// slots are the parts of the answers by idempotency key in the spread layout, as its first migration makes them.
const slots = 64
