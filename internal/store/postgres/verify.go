package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A storedRow is a document with the keys that the database has of it, as text.
type storedRow struct {
	Name, Keys string
	Doc        []byte
}

// verifyQueries read tables in the order of their rows, so that no index is needed. The keys are written as keysOf
// writes them.
var verifyQueries = [...]string{
	dataset.Security: `SELECT 'security ' || (keys).symbol,
		concat((keys).symbol, ' ', (keys).pe_text, ' ', (keys).yield_text, ' ', (keys).sector),
		XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.securities`,
	dataset.Customer: `SELECT 'customer ' || (keys).id, (keys).id || ' [' || array_to_string((keys).accounts, ' ') || ']',
		XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.customers`,
	dataset.Order: `SELECT 'order ' || (keys).id, (keys).id || ' ' || (keys).account || ' ' || ((keys).cash IS NOT NULL),
		XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders`,
}

// keysOf returns the keys that the service reads from a document.
func keysOf(k dataset.Kind, doc []byte) (string, error) {
	switch k {
	case dataset.Security:
		keys, err := tpox.SecurityKeysOf(doc)
		return fmt.Sprintf("%s %s %s %s", keys.Symbol, keys.PE, keys.Yield, keys.Sector), err
	case dataset.Customer:
		keys, err := tpox.CustomerKeysOf(doc)
		return fmt.Sprintf("%d %d", keys.ID, keys.Accounts), err
	default:
		keys, err := tpox.OrderKeysOf(doc)
		return fmt.Sprintf("%d %d %t", keys.ID, keys.Account, keys.Cash != nil), err
	}
}

// Verify reads a snapshot of all data. It calls find with a sentence for each finding, and read with the bytes read
// since the last call. Stored keys are compared with those that Go code, independent of the database's, reads from the
// document. It returns an error only if it could not read to the end; findings are not errors.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (store.Verified, error) {
	v := store.Verification{Find: find, Read: read}
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished != "" {
		err = v.ReportUnfinished(ctx)
	}
	if err != nil {
		return v.Verified, err
	}
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		for _, k := range dataset.Kinds {
			check := func(rows []storedRow) store.Inspected { return checkRows(k, rows) }
			if err := store.Inspect(ctx, &v, k, storedRows(ctx, tx, k), check); err != nil {
				return err
			}
		}
		return s.checkLookUps(ctx, tx, &v)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	case isDamage(err): // it has ended the transaction
		err = v.Report(ctx, fmt.Sprintf("stored data is damaged, and the rest was not read: %v", err))
	}
	return v.Verified, err
}

// storedRows reads a table in batches.
func storedRows(ctx context.Context, tx pgx.Tx, k dataset.Kind) iter.Seq2[[]storedRow, error] {
	return func(yield func([]storedRow, error) bool) {
		rows, _ := tx.Query(ctx, verifyQueries[k]) // its error is that of the rows
		defer rows.Close()
		var batch []storedRow
		for rows.Next() {
			r, err := pgx.RowToStructByPos[storedRow](rows)
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, r); len(batch) == store.VerifyBatch {
				if !yield(batch, nil) {
					return
				}
				batch = nil
			}
		}
		yield(batch, rows.Err())
	}
}

// checkRows inspects documents, and compares the keys that the database computes with those that the service reads.
func checkRows(k dataset.Kind, rows []storedRow) (seen store.Inspected) {
	for _, r := range rows {
		if !seen.Document(k, r.Name, r.Doc) {
			continue
		}
		if keys, err := keysOf(k, r.Doc); err != nil {
			seen.AddFinding(r.Name, "the document has no keys: %v", err)
		} else if keys != r.Keys {
			seen.AddFinding(r.Name, "the keys %s are not those of the document, %s", r.Keys, keys)
		}
		if k == dataset.Customer && store.Overdrawn(r.Doc) {
			seen.AddFinding(r.Name, "a position is below zero")
		}
	}
	return seen
}

// lookUpChecks find rows that do not agree with the documents, in both directions, and describe each in a sentence.
var lookUpChecks = []string{fmt.Sprintf(accountCheck, "SELECT account, customer FROM brokerage.accounts")}

// accountCheck compares accounts and their customers with what the documents have. A cluster joins tables that are
// divided by different keys only where they are materialized.
const accountCheck = `
	WITH a AS MATERIALIZED (%s),
		u AS MATERIALIZED (SELECT (keys).id AS customer, unnest((keys).accounts) AS account FROM brokerage.customers)
	SELECT CASE WHEN u.account IS NULL
		THEN format('account %%s: belongs to customer %%s, whose document does not have it', a.account, a.customer)
		ELSE format('customer %%s: account %%s is in the document, but does not belong to it', u.customer, u.account) END
	FROM a FULL JOIN u ON u.account = a.account AND u.customer = a.customer
	WHERE a.account IS NULL OR u.account IS NULL`

// spreadChecks are lookUpChecks for the spread layout.
var spreadChecks = []string{
	fmt.Sprintf(accountCheck, "SELECT account, customer FROM brokerage.account_homes WHERE customer IS NOT NULL"), `
	WITH h AS MATERIALIZED (SELECT id, home FROM brokerage.order_homes),
		o AS MATERIALIZED (SELECT id, home FROM brokerage.orders)
	SELECT CASE WHEN o.id IS NULL THEN format('order %s: there is none at home %s, where it should be', h.id, h.home)
		ELSE format('order %s: is at home %s, where it is not looked for', o.id, o.home) END
	FROM h FULL JOIN o ON o.id = h.id AND o.home = h.home
	WHERE h.id IS NULL OR o.id IS NULL`, `
	WITH a AS MATERIALIZED (SELECT account, home FROM brokerage.account_homes),
		o AS MATERIALIZED (SELECT id, home, (keys).account AS account FROM brokerage.orders)
	SELECT format('order %s: is at home %s, and not at %s, the home of its account %s',
		o.id, o.home, coalesce(a.home::text, 'none'), o.account)
	FROM o LEFT JOIN a ON a.account = o.account
	WHERE a.home IS DISTINCT FROM o.home`, `
	WITH a AS MATERIALIZED (SELECT account, customer FROM brokerage.account_homes
			WHERE customer IS NOT NULL AND home <> customer),
		e AS MATERIALIZED (SELECT customer, unnest(elsewhere) AS account FROM brokerage.customers)
	SELECT format('customer %s: account %s is not correctly noted as having its orders elsewhere',
		coalesce(a.customer, e.customer), coalesce(a.account, e.account))
	FROM a FULL JOIN e ON e.account = a.account AND e.customer = a.customer
	WHERE a.account IS NULL OR e.account IS NULL`, `
	WITH s AS MATERIALIZED (SELECT symbol, concat_ws(' ', (keys).sector, (keys).pe, (keys).yield, (keys).name, (keys).type)
			AS text FROM brokerage.securities),
		f AS MATERIALIZED (SELECT symbol, concat_ws(' ', sector, pe, yield, name, type) AS text
			FROM brokerage.security_search)
	SELECT format('security %s: a search does not find it by its document', coalesce(s.symbol, f.symbol))
	FROM s FULL JOIN f ON f.symbol = s.symbol AND f.text = s.text
	WHERE s.symbol IS NULL OR f.symbol IS NULL`}

// checkLookUps compares what documents are found by with the documents.
func (s *Store) checkLookUps(ctx context.Context, tx pgx.Tx, v *store.Verification) error {
	if s.layoutName == layoutCitus {
		if _, err := tx.Exec(ctx, "SET LOCAL citus.max_intermediate_result_size = -1"); err != nil {
			return err
		}
	}
	for _, check := range s.schema.checks {
		rows, _ := tx.Query(ctx, check)
		findings, err := pgx.CollectRows(rows, pgx.RowTo[string]) // the error of the query, too
		if err != nil {
			return err
		}
		if err := v.Report(ctx, findings...); err != nil {
			return err
		}
	}
	return tx.QueryRow(ctx, s.sql("count_accounts")).Scan(&v.Accounts)
}
