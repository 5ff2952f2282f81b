package postgres

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A storedRow is a document with the keys that the database stores for it, as text.
type storedRow struct {
	Name, Keys string
	Doc        []byte
}

// verifyQueries read each document with its keys in the columns and in other tables, in the form of keysOf. A
// cluster joins tables that are divided by different keys only if one is materialized.
var verifyQueries = [...]string{
	dataset.Security: `SELECT 'security ' || d.symbol, concat_ws(' ', d.symbol, s.sector, s.pe, s.yield, s.name, s.type,
			s.pe_text, s.yield_text), XMLSERIALIZE(CONTENT doc AS text)
		FROM brokerage.securities AS d LEFT JOIN brokerage.security_search AS s ON s.symbol = d.symbol`,
	dataset.Customer: `SELECT 'customer ' || id, id || ' [' || array_to_string(accounts, ' ') || ']',
		XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.customers`,
	dataset.Order: `WITH r AS MATERIALIZED (SELECT account, id, cash_text FROM brokerage.account_orders)
		SELECT 'order ' || o.id, concat_ws(' ', o.id, o.account, r.cash_text), XMLSERIALIZE(CONTENT doc AS text)
		FROM brokerage.orders AS o LEFT JOIN r ON r.id = o.id AND r.account = o.account`,
}

// keysOf returns the keys that the service reads from a document.
func (s *Store) keysOf(k dataset.Kind, doc []byte) (string, error) {
	switch k {
	case dataset.Security:
		keys, err := tpox.SecurityKeysOf(doc)
		if err != nil || s.pure {
			return keys.Symbol, err
		}
		return joined(searchRow(keys)...), nil
	case dataset.Customer:
		keys, err := tpox.CustomerKeysOf(doc)
		return joined(keys.ID, accountsOf(keys)), err
	default:
		keys, err := tpox.OrderKeysOf(doc)
		if keys.Cash == nil || s.pure {
			return joined(keys.ID, keys.Account), err
		}
		return joined(keys.ID, keys.Account, keys.CashText), err
	}
}

// joined returns the values of columns as concat_ws does, without those that are NULL.
func joined(values ...any) string {
	var texts []string
	for _, v := range values {
		if v != nil {
			texts = append(texts, fmt.Sprint(v))
		}
	}
	return strings.Join(texts, " ")
}

// Verify reads all documents and the tables that find them, on one server from one snapshot. It calls find with a
// sentence for each finding, and read with the bytes read since the last call. What columns and other tables say is
// compared with the documents, in both directions. An error means that reading failed; damage is a finding.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (store.Verified, error) {
	v := store.Verification{Find: find, Read: read}
	unfinished, err := s.Loading(ctx)
	if err == nil && unfinished != "" {
		err = v.ReportUnfinished(ctx)
	}
	if err != nil {
		return v.Verified, err
	}
	queries := verifyQueries
	if s.pure { // without the tables beside the documents
		queries[dataset.Security] = `SELECT 'security ' || symbol, symbol, XMLSERIALIZE(CONTENT doc AS text)
			FROM brokerage.securities`
		queries[dataset.Order] = `SELECT 'order ' || id, id || ' ' || account, XMLSERIALIZE(CONTENT doc AS text)
			FROM brokerage.orders`
	}
	err = pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
		if s.distributed && !s.hidden.distributed {
			if _, err := tx.Exec(ctx, "SET LOCAL citus.max_intermediate_result_size = -1"); err != nil {
				return err
			}
		}
		for _, k := range dataset.Kinds {
			check := func(rows []storedRow) store.Inspected { return s.checkRows(k, rows) }
			if err := store.Inspect(ctx, &v, k, storedRows(ctx, tx, queries[k]), check); err != nil {
				return err
			}
		}
		checks := restChecks
		if s.pure {
			checks = checks[:1]
		}
		for _, check := range checks {
			rows, _ := tx.Query(ctx, check)
			findings, err := pgx.CollectRows(rows, pgx.RowTo[string]) // the error of the query, too
			if err == nil {
				err = v.Report(ctx, findings...)
			}
			if err != nil {
				return err
			}
		}
		return tx.QueryRow(ctx, "SELECT count(*) FROM brokerage.accounts").Scan(&v.Accounts)
	})
	switch {
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	case tpox.Is[*tpox.Damaged](domainError(ctx, err, false)): // it has ended the transaction
		err = v.Report(ctx, fmt.Sprintf("stored data is damaged, and the rest was not read: %v", err))
	}
	return v.Verified, err
}

// storedRows reads a table in batches.
func storedRows(ctx context.Context, tx pgx.Tx, query string) iter.Seq2[[]storedRow, error] {
	return func(yield func([]storedRow, error) bool) {
		rows, _ := tx.Query(ctx, query) // its error is that of the rows
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

// checkRows inspects documents, compares the stored keys with those of the documents, and finds positions below zero.
func (s *Store) checkRows(k dataset.Kind, rows []storedRow) (seen store.Inspected) {
	for _, r := range rows {
		if !seen.Document(k, r.Name, r.Doc) {
			continue
		}
		if keys, err := s.keysOf(k, r.Doc); err != nil {
			seen.AddFinding(r.Name, "the keys of the document are missing or invalid: %v", err)
		} else if keys != r.Keys {
			seen.AddFinding(r.Name, "the stored keys are %q, but those of the document are %q", r.Keys, keys)
		}
		if k == dataset.Customer && store.Overdrawn(r.Doc) {
			seen.AddFinding(r.Name, "a position is below zero")
		}
	}
	return seen
}

// restChecks find rows of the other tables that match no document, and describe each in a sentence. The first also
// finds accounts in documents that have no row of their own. The last two are not for mode=pure.
var restChecks = []string{
	`WITH a AS MATERIALIZED (SELECT account, customer FROM brokerage.accounts),
		u AS MATERIALIZED (SELECT id AS customer, unnest(accounts) AS account FROM brokerage.customers)
	SELECT CASE WHEN u.account IS NULL
		THEN format('account %s: belongs to customer %s, whose document does not have it', a.account, a.customer)
		ELSE format('customer %s: account %s is in the document, but does not belong to it', u.customer, u.account) END
	FROM a FULL JOIN u ON u.account = a.account AND u.customer = a.customer
	WHERE a.account IS NULL OR u.account IS NULL`,
	`WITH o AS MATERIALIZED (SELECT id, account FROM brokerage.orders)
	SELECT format('order %s: account %s lists it with the cash %s, but it does not exist', r.id, r.account, r.cash_text)
	FROM brokerage.account_orders AS r LEFT JOIN o ON o.id = r.id AND o.account = r.account
	WHERE o.id IS NULL`,
	`WITH d AS MATERIALIZED (SELECT symbol FROM brokerage.securities)
	SELECT format('security %s: a search finds it, but it does not exist', s.symbol)
	FROM brokerage.security_search AS s LEFT JOIN d ON d.symbol = s.symbol WHERE d.symbol IS NULL`,
}
