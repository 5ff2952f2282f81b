package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
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

// isKept reports whether a table has rows when it holds nothing that a load or a client has brought.
func (t tableCopy) isKept() bool { return t.table == "settings" || t.table == "leases" }

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

// copyDocuments inserts documents of a kind by COPY, with the rows that find them. keys are the results of
// store.KeysOf. When a row exists, the error is a takenError.
func (s *Store) copyDocuments(ctx context.Context, tx pgx.Tx, docs [][]byte, keys []any) error {
	rows := make(map[string]*copied)
	for _, t := range s.tables() {
		rows[t.table] = &copied{}
	}
	if s.pure { // which has no such tables
		rows["security_search"], rows["account_orders"] = &copied{}, &copied{}
	}
	for i, doc := range docs {
		switch keys := keys[i].(type) {
		case tpox.SecurityKeys:
			rows["securities"].row(keys.Symbol, doc)
			rows["security_search"].row(searchRow(keys)...)
		case tpox.CustomerKeys:
			rows["customers"].row(keys.ID, keys.Accounts, doc)
			for _, account := range keys.Accounts {
				rows["accounts"].row(account, keys.ID)
			}
		case tpox.OrderKeys:
			rows["orders"].row(keys.ID, keys.Account, doc)
			if keys.Cash != nil {
				rows["account_orders"].row(keys.Account, keys.ID, number(keys.CashText), keys.CashText)
			}
		}
	}
	for _, t := range s.tables() {
		if len(*rows[t.table]) == 0 {
			continue
		}
		if err := rows[t.table].to(ctx, tx, t); codeOf(err) == uniqueViolation {
			return &takenError{t.table, err}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// A takenError reports that a row exists already.
type takenError struct {
	table string
	error
}

func (e *takenError) Unwrap() error { return e.error }

// takenTable returns the table in which a row existed already, or "".
func takenTable(err error) string {
	if taken, ok := errors.AsType[*takenError](err); ok {
		return taken.table
	}
	return ""
}

// copied holds lines in the text format of COPY. Its binary format has another form for xml, and is not faster where a
// row is one text.
type copied []byte

// to sends the lines to a table.
func (c *copied) to(ctx context.Context, tx pgx.Tx, t tableCopy) error {
	_, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(*c), t.copyFrom())
	return err
}

// copyFrom returns the command that precedes the data of the table.
func (t tableCopy) copyFrom() string {
	return fmt.Sprintf("COPY brokerage.%s (%s) FROM STDIN", t.table, t.columns)
}

// row appends a line of columns: ids, numbers, lists of ids, texts, documents, and nil for NULL.
func (c *copied) row(columns ...any) {
	for _, column := range columns {
		switch v := column.(type) {
		case nil:
			*c = append(*c, `\N`...)
		case tpox.ID:
			*c = strconv.AppendInt(*c, int64(v), 10)
		case int64:
			*c = strconv.AppendInt(*c, v, 10)
		case []tpox.ID:
			list := append([]byte{'{'}, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v)), ","), "[]")...)
			*c = append(append(*c, list...), '}')
		case string:
			c.text([]byte(v))
		case []byte:
			c.text(v)
		}
		*c = append(*c, '\t')
	}
	(*c)[len(*c)-1] = '\n'
}

// special are the bytes that have a meaning in the text format; escapes replaces them.
const special = "\\\n\r\t"

var escapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// text appends a text or a document. Most documents have nothing to escape: looking for each special byte on its own
// takes a seventh of the time of bytes.IndexAny.
func (c *copied) text(text []byte) {
	if slices.ContainsFunc([]byte(special), func(b byte) bool { return bytes.IndexByte(text, b) >= 0 }) {
		text = []byte(escapes.Replace(string(text)))
	}
	*c = append(*c, text...)
}
