package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A tableCopy is a table as COPY reads and writes it.
type tableCopy struct{ table, columns string }

// tables returns the tables whose rows are copied, by a load or a backup.
func (s *Store) tables() []tableCopy {
	all := []tableCopy{
		{"securities", "symbol, doc"},
		{"customers", "id, accounts, doc"},
		{"accounts", "account, customer"},
		{"orders", "id, account, doc"},
		{"settings", "name, value"},
		{"leases", "kind, next"},
		{"answers", "slot, client, key, hash, answer, expires"},
	}
	if !s.pure {
		all = append(all, tableCopy{"security_search", "symbol, sector, pe, yield, name, type, pe_text, yield_text"},
			tableCopy{"account_orders", "account, id, cash, cash_text"})
	}
	return all
}

// names returns the names of tables, for statements.
func names(tables []tableCopy) string {
	var all []string
	for _, t := range tables {
		all = append(all, "brokerage."+t.table)
	}
	return strings.Join(all, ", ")
}

// tableNames are the tables of documents, without the schema.
var tableNames = [...]string{dataset.Security: "securities", dataset.Customer: "customers", dataset.Order: "orders"}

// copyDocuments inserts, with COPY, the documents that are not refused and their rows in the other tables. When a row
// exists already, the error is a *takenError.
func (s *Store) copyDocuments(ctx context.Context, tx pgx.Tx, documents []store.PreparedDocument) error {
	rows := make(map[string][][]any)
	add := func(table string, columns ...any) { rows[table] = append(rows[table], columns) }
	for _, d := range documents {
		if d.Refused != nil {
			continue
		}
		switch keys := d.Keys.(type) {
		case tpox.SecurityKeys:
			add("securities", keys.Symbol, d.Doc)
			add("security_search", searchRow(keys)...)
		case tpox.CustomerKeys:
			add("customers", keys.ID, accountsOf(keys), d.Doc)
			for _, account := range keys.Accounts {
				add("accounts", account, keys.ID)
			}
		case tpox.OrderKeys:
			add("orders", keys.ID, keys.Account, d.Doc)
			if keys.Cash != nil {
				add("account_orders", keys.Account, keys.ID, number(keys.CashText), keys.CashText)
			}
		}
	}
	for _, t := range s.tables() {
		if len(rows[t.table]) == 0 {
			continue
		}
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"brokerage", t.table}, strings.Split(t.columns, ", "),
			pgx.CopyFromRows(rows[t.table]))
		if codeOf(err) == uniqueViolation {
			err = &takenError{t.table, err}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A takenError reports that a row exists already. A cluster does not name the table.
type takenError struct {
	table string
	error
}

func (e *takenError) Unwrap() error { return e.error }

// insertDocuments copies documents together, and one by one when one is refused, to find out which.
func (s *Store) insertDocuments(ctx context.Context, tx pgx.Tx, documents []store.PreparedDocument) error {
	insert := func(some []store.PreparedDocument) error {
		return pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return s.copyDocuments(ctx, tx, some) }) // a savepoint
	}
	if err := insert(documents); err == nil || s.refusalOf(ctx, nil, err) == nil {
		return err
	}
	for i := range documents {
		d := &documents[i]
		if err := insert(documents[i : i+1]); err == nil {
			continue
		} else if d.Refused = s.refusalOf(ctx, d.Keys, err); d.Refused == nil {
			return err
		}
	}
	return nil
}

// refusalOf returns the error of the domain for a document with these keys, or nil if err is not about a document.
func (s *Store) refusalOf(ctx context.Context, keys any, err error) error {
	taken, exists := errors.AsType[*takenError](err)
	if refusal := domainError(ctx, err, false); !exists && tpox.Is[*tpox.Invalid](refusal) {
		return refusal
	}
	if !exists {
		return nil
	}
	switch keys := keys.(type) {
	case tpox.OrderKeys:
		return tpox.DuplicateOrder(keys.ID)
	case tpox.CustomerKeys:
		if taken.table == "accounts" {
			return s.firstTaken(ctx, tpox.DuplicateAccount(keys.Accounts[0]), keys)
		}
		return tpox.DuplicateCustomer(keys.ID)
	case tpox.SecurityKeys:
		return fmt.Errorf("security %s exists already", keys.Symbol)
	default:
		return taken
	}
}
