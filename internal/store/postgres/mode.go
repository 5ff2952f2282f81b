package postgres

import (
	"embed"
	"errors"
	"maps"
	"slices"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// The modes of a database on one server, as the parameter mode of a URL names them: what search_securities and
// customer_max_order search and answer from (ADR 0029).
const (
	modeKeys = "keys" // columns that are computed from a document when it is written
	modePure = "pure" // the documents alone, through indexes on expressions over them
)

// errPureSpread refuses modePure for a spread layout.
var errPureSpread = errors.New("mode=pure in the URL is for layout=single: " +
	"a spread database searches securities in a table of extracted keys")

//go:embed sql/pure/*.sql
var pureFiles embed.FS

var pureStatements = func() map[string]string {
	all := maps.Clone(statements)
	maps.Copy(all, store.ReadStatements(pureFiles, "sql/pure"))
	return all
}()

const (
	// pureEndLoad makes the indexes of endLoad, with the same names, on expressions.
	pureEndLoad = `
	CREATE INDEX IF NOT EXISTS orders_cash ON brokerage.orders (((brokerage.keys_of_order(doc)).account),
		((brokerage.keys_of_order(doc)).cash) DESC, ((brokerage.keys_of_order(doc)).id))
		WHERE (brokerage.keys_of_order(doc)).cash IS NOT NULL;
	CREATE INDEX IF NOT EXISTS securities_search ON brokerage.securities (((brokerage.keys_of_security(doc)).sector),
		((brokerage.keys_of_security(doc)).pe), ((brokerage.keys_of_security(doc)).yield));`

	// isPure creates the function that marks a database of modePure.
	isPure = `
	CREATE FUNCTION brokerage.mode() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 'pure';`
)

// makePure makes a schema one of modePure: other indexes take the place of two.
func (in *schema) makePure() {
	in.steps = slices.Insert(in.steps, 2, step{"pure", beginLoad + pureEndLoad + isPure})
	in.statements, in.endLoad = pureStatements, pureEndLoad
}

// faithfulIn says of each transaction where the work on XML is done: queries and inserts are SQL/XML, PostgreSQL cannot
// update a part of a document (ADR 0015), and a document is deleted by its key alone. In a spread layout, the service
// reads a customer that is deleted, for the accounts.
func faithfulIn(layout, mode string) map[string]tpox.Fidelity {
	return tpox.FidelityBy(func(t *tpox.Transaction) tpox.Fidelity {
		searches := t.Name == "search_securities" || t.Name == "customer_max_order"
		switch {
		case t.Kind == tpox.Update:
			return tpox.EditedInService
		case t.Name == "delete_customer" && layout != layoutSingle:
			return tpox.InService
		case t.Kind == tpox.Delete, searches && mode != modePure:
			return tpox.FromColumns
		default:
			return tpox.InDatabase
		}
	})
}
