package postgres

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
	"brokerage/internal/xmldoc"
)

// verifyBatch is how many documents a processor takes at once.
const verifyBatch = 500

// storedRow is a document with the keys that the database has of it.
type storedRow struct {
	doc       []byte
	id        int64   // of a customer or an order
	account   int64   // of an order
	accounts  []int64 // of a customer
	symbol    string
	sector    *string
	pe, yield string
	cash      bool // there is one
}

type storedBatch struct {
	rows     []storedRow
	findings []string
	bytes    int64
}

// verifyQueries read in the order of the rows, which no index has to help with.
var verifyQueries = [...]string{
	dataset.Security: `SELECT XMLSERIALIZE(CONTENT doc AS text), (keys).symbol, (keys).sector, (keys).pe_text, (keys).yield_text FROM brokerage.securities`,
	dataset.Customer: `SELECT XMLSERIALIZE(CONTENT doc AS text), (keys).id, (keys).accounts FROM brokerage.customers`,
	dataset.Order:    `SELECT XMLSERIALIZE(CONTENT doc AS text), (keys).id, (keys).account, (keys).cash IS NOT NULL FROM brokerage.orders`,
}

// Verify reads everything, as it is at one moment, and tells what is wrong, a
// sentence each; read is told of progress. That keys are those of their documents
// is checked with the reading of the service, which shares no code with the
// database's. Only an end before the end is an error.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (v bulk.Verified, err error) {
	tell := func(findings ...string) error {
		for _, f := range findings {
			v.Findings++
			if err := find(f); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	unfinished, err := s.Loading(ctx)
	if err != nil {
		return v, err
	}
	if unfinished != "" {
		if err := tell("a load was not finished: the load command with the same arguments goes on"); err != nil {
			return v, err
		}
	}
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, k := range dataset.Kinds {
			err := bulk.InOrder(ctx, storedRows(ctx, tx, k),
				func(b storedBatch) storedBatch { b.check(k); return b },
				func(b storedBatch) error {
					v.Documents[k] += int64(len(b.rows))
					v.Bytes[k] += b.bytes
					if read != nil {
						read(b.bytes)
					}
					return tell(b.findings...)
				})
			if err != nil {
				return err
			}
		}
		return checkAccounts(ctx, tx, &v, tell)
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return v, err
}

// storedRows reads a table in batches.
func storedRows(ctx context.Context, tx pgx.Tx, k dataset.Kind) iter.Seq2[storedBatch, error] {
	return func(yield func(storedBatch, error) bool) {
		rows, err := tx.Query(ctx, verifyQueries[k])
		if err != nil {
			yield(storedBatch{}, err)
			return
		}
		defer rows.Close()
		var b storedBatch
		for rows.Next() {
			var r storedRow
			switch k {
			case dataset.Security:
				err = rows.Scan(&r.doc, &r.symbol, &r.sector, &r.pe, &r.yield)
			case dataset.Customer:
				err = rows.Scan(&r.doc, &r.id, &r.accounts)
			default:
				err = rows.Scan(&r.doc, &r.id, &r.account, &r.cash)
			}
			if err != nil {
				yield(b, err)
				return
			}
			if b.rows = append(b.rows, r); len(b.rows) == verifyBatch {
				if !yield(b, nil) {
					return
				}
				b = storedBatch{}
			}
		}
		if rows.Err() != nil || len(b.rows) > 0 {
			yield(b, rows.Err())
		}
	}
}

// check looks at the documents of a batch.
func (b *storedBatch) check(k dataset.Kind) {
	var again []byte
	for _, r := range b.rows {
		name := fmt.Sprintf("%s %d", k, r.id)
		if k == dataset.Security {
			name = "security " + r.symbol
		}
		wrong := func(format string, args ...any) {
			b.findings = append(b.findings, name+": "+fmt.Sprintf(format, args...))
		}
		b.bytes += int64(len(r.doc))
		var err error
		if again, err = xmldoc.AppendAdmitted(again[:0], r.doc, xmldoc.Limits{}); err != nil {
			wrong("the document is not XML: %v", err)
			continue
		}
		if !bytes.Equal(r.doc, again) {
			wrong("the document is not in the normal form")
			continue
		}
		if err := bulk.Validate(k, r.doc); err != nil {
			wrong("the document is not valid: %v", err)
		}
		r.checkKeys(k, wrong)
	}
}

// checkKeys compares the keys that the database computes with those that the
// service reads.
func (r storedRow) checkKeys(k dataset.Kind, wrong func(string, ...any)) {
	switch k {
	case dataset.Security:
		keys, err := brokerage.SecurityKeysOf(r.doc)
		sector := ""
		if r.sector != nil {
			sector = *r.sector
		}
		switch {
		case err != nil:
			wrong("the document has no keys: %v", err)
		case keys.Symbol != r.symbol || keys.Sector != sector || keys.PE != r.pe || keys.Yield != r.yield:
			wrong("the keys %s, %q, %s, %s are not those of the document", r.symbol, sector, r.pe, r.yield)
		}
	case dataset.Customer:
		keys, err := brokerage.CustomerKeysOf(r.doc)
		accounts := make([]brokerage.ID, 0, len(r.accounts))
		for _, a := range r.accounts {
			accounts = append(accounts, brokerage.ID(a))
		}
		switch {
		case err != nil:
			wrong("the document has no keys: %v", err)
		case int64(keys.ID) != r.id || !slices.Equal(keys.Accounts, accounts):
			wrong("the keys %d and %v are not those of the document", r.id, r.accounts)
		}
		if bulk.Overdrawn(r.doc) {
			wrong("a position is below zero")
		}
	default:
		keys, err := brokerage.OrderKeysOf(r.doc)
		switch {
		case err != nil:
			wrong("the document has no keys: %v", err)
		case int64(keys.ID) != r.id || int64(keys.Account) != r.account || (keys.Cash != nil) != r.cash:
			wrong("the keys %d and %d are not those of the document", r.id, r.account)
		}
	}
}

// checkAccounts compares the rows of accounts with the customers', both ways.
func checkAccounts(ctx context.Context, tx pgx.Tx, v *bulk.Verified, tell func(...string) error) error {
	rows, err := tx.Query(ctx, `SELECT coalesce(a.account, u.account), a.customer, u.customer
		FROM brokerage.accounts AS a
		FULL JOIN (SELECT (keys).id AS customer, unnest((keys).accounts) AS account FROM brokerage.customers) AS u
		ON u.account = a.account AND u.customer = a.customer
		WHERE a.account IS NULL OR u.account IS NULL`)
	if err != nil {
		return err
	}
	var account int64
	var row, document *int64
	var findings []string
	if _, err := pgx.ForEachRow(rows, []any{&account, &row, &document}, func() error {
		if document == nil {
			findings = append(findings, fmt.Sprintf("account %d: belongs to customer %d, whose document does not have it", account, *row))
		} else {
			findings = append(findings, fmt.Sprintf("customer %d: account %d is in the document, but does not belong to it", *document, account))
		}
		return nil
	}); err != nil {
		return err
	}
	if err := tell(findings...); err != nil {
		return err
	}
	return tx.QueryRow(ctx, "SELECT count(*) FROM brokerage.accounts").Scan(&v.Accounts)
}
