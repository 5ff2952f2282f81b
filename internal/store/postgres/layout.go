package postgres

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A layout is how documents are divided among tables and servers, and how the transactions that depend on that find
// them: on one server, or spread over partitions or nodes (ADR 0028).
type layout interface {
	GetOrder(ctx context.Context, id tpox.ID) ([]byte, error)
	CustomerMaxOrder(ctx context.Context, customer tpox.ID) ([]byte, error)
	InsertOrder(ctx context.Context, w tpox.Write, doc []byte) (tpox.ID, error)
	UpdateOrderStatus(ctx context.Context, w tpox.Write, id tpox.ID, stat string) ([]byte, error)
	DeleteOrder(ctx context.Context, w tpox.Write, id tpox.ID) error
	GetAccount(ctx context.Context, account tpox.ID) (tpox.Account, error)
	InsertCustomer(ctx context.Context, w tpox.Write, doc []byte, validate bool) (tpox.ID, error)
	ReplaceCustomer(
		ctx context.Context, w tpox.Write, id tpox.ID, doc []byte, validate bool, match tpox.Match) error
	DeleteCustomer(ctx context.Context, w tpox.Write, id tpox.ID) error
	OpenAccount(
		ctx context.Context, w tpox.Write, customer tpox.ID, account []byte) (tpox.ID, error)
	CloseAccount(ctx context.Context, w tpox.Write, customer, account tpox.ID) error
	Trade(ctx context.Context, w tpox.Write, account tpox.ID, trade tpox.Trade) ([]byte, error)

	// copyDocuments inserts documents of a kind; keys are the results of store.KeysOf.
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
	steps      []step // that make it
	statements map[string]string
	tables     []tableCopy // of a backup, in the order of a restore
	checks     []string    // of the rows by which documents are found
	beginLoad  string
	endLoad    string
	afterLoad  string
}

// emptied returns the tables that hold what a load or a client brought, for TRUNCATE. Rows of settings and leases stay.
func (in *schema) emptied() string {
	var names []string
	for _, t := range in.tables {
		if t.table != "leases" && t.table != "settings" {
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
	maps.Copy(all, store.ReadStatements(spreadFiles, "sql/spread"))
	return all
}()

// schemaOf returns the schema of a layout. The number of shards counts when the tables are made.
func schemaOf(w wantedLayout) *schema {
	if w.name == layoutSingle {
		in := &schema{
			steps: []step{readStep("keys"), readStep("single"), readStep("grants")}, statements: statements,
			tables: backedUp, checks: lookUpChecks, beginLoad: beginLoad, endLoad: endLoad, afterLoad: afterLoad,
		}
		if w.mode == modePure {
			in.makePure()
		}
		return in
	}
	tables, divided := readStep("spread"), readStep(w.name)
	divided.sql = strings.ReplaceAll(divided.sql, "SHARDS", strconv.Itoa(w.shards))
	steps := []step{readStep("keys"), tables, divided, readStep("functions"), readStep("grants")}
	if w.name == layoutCitus {
		steps[1].sql = partitionBy.ReplaceAllString(tables.sql, "")
		steps = slices.Insert(steps, 0, step{"one node at a time", oneNodeAtATime})
	}
	return &schema{
		steps: steps, statements: spreadStatements, tables: spreadBackedUp, checks: spreadChecks,
		beginLoad: beginLoad, endLoad: spreadEndLoad, afterLoad: spreadAfterLoad,
	}
}

// partitionBy declares a table as partitioned, which one of Citus is not.
var partitionBy = regexp.MustCompile(` PARTITION BY HASH \(\w+\)`)

// use makes the store one of a layout.
func (s *Store) use(w wantedLayout) {
	s.layoutName, s.mode, s.schema, s.layout = w.name, w.mode, schemaOf(w), single{s}
	if w.name != layoutSingle {
		s.layout = spread{s}
	}
}

// sql returns a statement of the layout.
func (s *Store) sql(name string) string { return s.schema.statements[name] }

// findLayout returns the layout and the mode of the database; they are "" for one without tables.
func findLayout(ctx context.Context, q querier) (found wantedLayout, err error) {
	var made, spread, cluster, pure bool
	err = q.QueryRow(ctx, `SELECT to_regclass('brokerage.settings') IS NOT NULL,
		to_regclass('brokerage.order_homes') IS NOT NULL, to_regclass('pg_dist_partition') IS NOT NULL,
		to_regprocedure('brokerage.mode()') IS NOT NULL`).Scan(&made, &spread, &cluster, &pure)
	if err != nil || !made {
		return found, err
	}
	found = wantedLayout{name: layoutSingle, mode: modeKeys}
	switch {
	case pure:
		found.mode = modePure
	case spread && cluster:
		err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_dist_partition
			WHERE logicalrelid = 'brokerage.orders'::regclass)`).Scan(&cluster)
	}
	if spread {
		found.name = layoutPartitioned
		if cluster {
			found.name = layoutCitus
		}
	}
	return found, err
}

// chooseLayout finds the layout and the mode of the database, or takes those that the URL wants for a database without
// tables.
func (s *Store) chooseLayout(ctx context.Context, conn *pgx.Conn) error {
	found, err := findLayout(ctx, conn)
	if err != nil {
		return err
	}
	if err := s.wanted.fits(found); err != nil {
		return err
	}
	s.use(wantedLayout{
		name: cmp.Or(found.name, s.wanted.name, layoutSingle), shards: s.wanted.shards,
		mode: cmp.Or(found.mode, s.wanted.mode, modeKeys),
	})
	if s.layoutName == layoutCitus {
		return s.inspectCluster(ctx, conn)
	}
	return nil
}

// wantedLayout is the layout and the mode that a URL asks for; they are "" where it does not.
type wantedLayout struct {
	name   string
	shards int
	mode   string
}

// fits returns an error if a URL does not want the layout or the mode that a database has.
func (w wantedLayout) fits(found wantedLayout) error {
	refuse := func(what, has, wants string) error {
		return fmt.Errorf("the database has the %s %s, and the URL asks for %s: brokerage backup and restore "+
			"copy it to a database of another %[1]s", what, has, wants)
	}
	switch {
	case found.name == "":
		return nil
	case w.name != "" && w.name != found.name:
		return fmt.Errorf("%w (docs/scaling.md)", refuse("layout", found.name, w.name))
	case w.mode == modePure && found.name != layoutSingle:
		return errPureSpread
	case w.mode != "" && w.mode != found.mode:
		return fmt.Errorf("%w (docs/postgres.md)", refuse("mode", found.mode, w.mode))
	}
	return nil
}

// IsCluster reports whether a URL asks for the layout of a Citus cluster.
func IsCluster(url string) bool {
	_, wanted, err := parseURL(url)
	return err == nil && wanted.name == layoutCitus
}

// takeLayout reads the parameters of a URL that are about the layout and the mode, and removes them: the server does
// not know them.
func takeLayout(parameters map[string]string) (w wantedLayout, err error) {
	w.name, w.shards, w.mode = parameters["layout"], DefaultShards, parameters["mode"]
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
	switch {
	case w.mode != "" && w.mode != modeKeys && w.mode != modePure:
		return w, fmt.Errorf("mode %.20q in the URL is neither %s nor %s", w.mode, modeKeys, modePure)
	case w.mode == modePure && w.name != "" && w.name != layoutSingle:
		return w, errPureSpread
	}
	delete(parameters, "mode")
	delete(parameters, "layout")
	delete(parameters, "shards")
	return w, nil
}

// maxShards is the largest number of shards that a URL may ask for.
const maxShards = 1024

// slots are the parts of the answers by idempotency key in the spread layout, as spread.sql makes them.
const slots = 64
