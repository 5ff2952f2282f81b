package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Verify reads everything. It calls find with each finding, a sentence, and read, if it is not nil, with the bytes of
// each batch. Damage is a finding; an I/O error or the end of ctx is an error.
func (s *Store) Verify(
	ctx context.Context, find func(string) error, read func(bytes int64),
) (store.Verified, error) {
	v := &store.Verification{Find: find, Read: read}
	var findings []string // of SQLite, in its own structures
	err := eachRow(ctx, s.reading, "PRAGMA integrity_check", nil, func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if code := pageError.FindStringSubmatch(text); code != nil {
			if n, err := strconv.Atoi(code[1]); err == nil && !isDamageCode(n) {
				return errors.New(code[0]) // SQLite reports as a finding that it could not read a page
			}
		}
		if text != "ok" {
			findings = append(findings, "database: "+text)
		}
		return nil
	})
	if err != nil {
		finding, err := unreadable(ctx, "database", err)
		if err != nil {
			return v.Verified, err
		}
		findings = append(findings, finding)
	}
	if err := v.Report(ctx, findings...); err != nil {
		return v.Verified, err
	}
	unfinished, err := s.Loading(ctx)
	if isDamage(err) { // reported as a finding already
		err = nil
	} else if err == nil && unfinished != "" {
		err = v.ReportUnfinished(ctx)
	}
	for _, k := range dataset.Kinds {
		if err == nil {
			err = store.Inspect(ctx, v, k, s.storedRows(ctx, k),
				func(b storedBatch) store.Inspected { return s.check(ctx, k, b) })
		}
	}
	if err == nil {
		err = s.checkAccounts(ctx, v)
	}
	return v.Verified, err
}

var pageError = regexp.MustCompile(`unable to get the page\. error code=(\d+)`)

// unreadable returns an error in reading as a finding if it says that the database is damaged, and as an error
// otherwise.
func unreadable(ctx context.Context, what string, err error) (finding string, _ error) {
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case !isDamage(err):
		return "", fmt.Errorf("reading %s: %w", what, err)
	}
	return what + ": cannot be read: " + err.Error(), nil
}

// A storedRow is a row with a document, and the columns that its kind has.
type storedRow struct {
	name    string // in findings
	id      int64
	packed  []byte
	account int64  // of an order
	cash    []byte // of an order
	columns []any  // of a security, as securityRow.columns returns them but without the price
	price   []byte
	symbol  string // of a security
}

type storedBatch struct {
	rows     []storedRow
	findings []string // why the rest cannot be read
}

var storedQueries = [...]string{
	dataset.Security: `SELECT id, doc, symbol, name, type, sector, pe, yield, pe_text, yield_text, last_trade, price
		FROM securities WHERE id > ? ORDER BY id LIMIT ?`,
	dataset.Customer: "SELECT id, doc FROM customers WHERE id > ? ORDER BY id LIMIT ?",
	dataset.Order:    "SELECT id, doc, account, cash FROM orders WHERE id > ? ORDER BY id LIMIT ?",
}

// storedRows reads a table in batches. If a page is damaged, there is a finding for the rest of the table.
func (s *Store) storedRows(ctx context.Context, k dataset.Kind) iter.Seq2[storedBatch, error] {
	return func(yield func(storedBatch, error) bool) {
		last := int64(-1) << 63
		for {
			var b storedBatch
			args := []any{last, store.VerifyBatch}
			err := eachRow(ctx, s.reading, storedQueries[k], args, func(rows *sql.Rows) (err error) {
				var r storedRow
				switch k {
				case dataset.Security:
					var name, typ, sector, peText, yieldText, lastTrade string
					var pe, yield int64
					err = scanRow(rows, &r.id, &r.packed, &r.symbol, &name, &typ, &sector, &pe, &yield, &peText, &yieldText,
						&lastTrade, &r.price)
					r.columns = []any{name, typ, sector, pe, yield, peText, yieldText, lastTrade}
				case dataset.Customer:
					err = scanRow(rows, &r.id, &r.packed)
				default:
					err = scanRow(rows, &r.id, &r.packed, &r.account, &r.cash)
				}
				if err == nil && r.id <= last {
					err = &tpox.Damaged{Cause: errors.New("its rows are not in order")}
				}
				if err != nil {
					return err
				}
				if r.name = fmt.Sprint(k, " ", r.id); k == dataset.Security {
					r.name = "security " + r.symbol
				}
				b.rows, last = append(b.rows, r), r.id
				return nil
			})
			if err != nil {
				finding, end := unreadable(ctx, fmt.Sprintf("the rows of kind %s after id %d", k, last), err)
				if end != nil {
					yield(b, end)
					return
				}
				b.findings = append(b.findings, finding)
			}
			if len(b.rows) == 0 && err == nil || !yield(b, nil) || err != nil {
				return
			}
		}
	}
}

// scanRow reads the columns of a row. A value of another type than the column's is damage.
func scanRow(rows *sql.Rows, columns ...any) error {
	if err := rows.Scan(columns...); err != nil {
		return &tpox.Damaged{Cause: err}
	}
	return nil
}

// check verifies the documents of a batch.
func (s *Store) check(ctx context.Context, k dataset.Kind, b storedBatch) store.Inspected {
	seen := store.Inspected{Findings: b.findings}
	accountsOf := make(map[int64][]tpox.ID) // as in the documents, by customer
	for _, r := range b.rows {
		report := func(format string, args ...any) { seen.AddFinding(r.name, format, args...) }
		doc, err := s.codec.Load().unpack(kind(k.String()), r.packed)
		if err != nil {
			seen.Documents++
			report("the document does not unpack: %v", err)
		} else if seen.Document(k, r.name, doc) {
			if customer, ok := checkKeys(k, r, doc, report).(tpox.CustomerKeys); ok {
				accountsOf[r.id] = customer.Accounts
			}
		}
	}
	if len(accountsOf) > 0 {
		s.checkAccountsOf(ctx, accountsOf, &seen)
	}
	return seen
}

// checkKeys compares the columns beside a document with the document, and returns its keys, or nil if it has none.
func checkKeys(k dataset.Kind, r storedRow, doc []byte, report func(string, ...any)) any {
	keys, err := keysOf(k, doc)
	if err != nil {
		report("the keys of the document are missing or invalid: %v", err)
		return nil
	}
	switch keys := keys.(type) {
	case securityRow:
		if keys.Symbol != r.symbol {
			report("the document has symbol %s", keys.Symbol)
		}
		if expected := keys.columns()[:len(r.columns)]; !slices.Equal(expected, r.columns) {
			report("the columns %v differ from the document, which has %v", r.columns, expected)
		}
		if !bytes.Equal(keys.price, r.price) {
			report("the column price differs from the document")
		}
	case tpox.OrderKeys:
		if int64(keys.ID) != r.id {
			report("the document has id %d", keys.ID)
		}
		if int64(keys.Account) != r.account {
			report("the column account is %d, but %d in the document", r.account, keys.Account)
		}
		if !bytes.Equal(keys.Cash, r.cash) || (keys.Cash == nil) != (r.cash == nil) {
			report("the column cash differs from the document")
		}
	case tpox.CustomerKeys:
		if int64(keys.ID) != r.id {
			report("the document has id %d", keys.ID)
		}
		if store.Overdrawn(doc) {
			report("a position is below zero")
		}
	}
	return keys
}

// checkAccountsOf compares the accounts in the documents of customers with the rows of the table accounts.
func (s *Store) checkAccountsOf(ctx context.Context, accountsOf map[int64][]tpox.ID, seen *store.Inspected) {
	ids := slices.Sorted(maps.Keys(accountsOf))
	named, err := json.Marshal(slices.Concat(slices.Collect(maps.Values(accountsOf))...))
	owners := make(map[tpox.ID]int64)
	if err == nil {
		err = eachRow(ctx, s.reading, `SELECT id, customer FROM accounts WHERE customer BETWEEN ? AND ?
			UNION SELECT id, customer FROM accounts WHERE id IN (SELECT value FROM json_each(?))`,
			[]any{ids[0], ids[len(ids)-1], string(named)}, func(rows *sql.Rows) error {
				var id, owner int64
				err := scanRow(rows, &id, &owner)
				owners[tpox.ID(id)] = owner
				return err
			})
	}
	if err != nil {
		what := fmt.Sprintf("accounts of customers %d to %d", ids[0], ids[len(ids)-1])
		var finding string
		if finding, seen.Err = unreadable(ctx, what, err); seen.Err == nil {
			seen.Findings = append(seen.Findings, finding)
		}
		return
	}
	for _, id := range ids {
		name := fmt.Sprintf("customer %d", id)
		for _, account := range accountsOf[id] {
			switch owner, exists := owners[account]; {
			case !exists:
				seen.AddFinding(name, "account %d is in the document, but not in the table accounts", account)
			case owner != id:
				seen.AddFinding(name, "account %d is in the document, but belongs to customer %d", account, owner)
			}
		}
	}
	for _, account := range slices.Sorted(maps.Keys(owners)) {
		owner := owners[account]
		if accounts, known := accountsOf[owner]; known && !slices.Contains(accounts, account) {
			seen.AddFinding(fmt.Sprintf("customer %d", owner),
				"account %d belongs to this customer, but is not in the document", account)
		}
	}
}

// checkAccounts counts the account rows and reports those whose customer does not exist. check has compared the rest.
func (s *Store) checkAccounts(ctx context.Context, v *store.Verification) error {
	var failed error
	err := eachRow(ctx, s.reading, `SELECT a.id, a.customer FROM accounts a
		WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = a.customer)`, nil, func(rows *sql.Rows) error {
		var id, customer int64
		if err := scanRow(rows, &id, &customer); err != nil {
			return err
		}
		failed = v.Report(ctx, fmt.Sprintf("account %d: belongs to customer %d, which does not exist", id, customer))
		return failed
	})
	if err == nil {
		err = s.reading.QueryRowContext(ctx, "SELECT count(*) FROM accounts").Scan(&v.Accounts)
	}
	if err == nil || failed != nil {
		return failed
	}
	finding, err := unreadable(ctx, "accounts", err)
	if err != nil {
		return err
	}
	return v.Report(ctx, finding)
}
