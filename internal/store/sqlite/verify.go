package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// Verified is how much Verify has read.
type Verified = bulk.Verified

// Verify reads everything and tells what is wrong, a sentence each; read is
// told of progress. Damage is a finding; what keeps it from reading the rest, an
// I/O error or the end of ctx, is an error.
func (s *Store) Verify(ctx context.Context, find func(string) error, read func(bytes int64)) (Verified, error) {
	v := bulk.Verification{Find: find, Read: read}
	if err := s.sweep(ctx, &v); err != nil {
		return v.Verified, err
	}
	broken, err := s.integrity(ctx)
	if err == nil {
		err = v.Tell(ctx, broken...)
	}
	if err != nil {
		return v.Verified, err
	}
	switch unfinished, failed := s.unfinished(ctx); {
	case isDamage(failed): // a finding already
	case failed != nil:
		err = failed
	case unfinished:
		err = v.TellUnfinished(ctx)
	}
	if err != nil {
		return v.Verified, err
	}
	for _, k := range dataset.Kinds {
		err := bulk.Inspect(ctx, &v, k, s.storedRows(ctx, k), func(b storedBatch) bulk.Inspected { return s.check(ctx, k, b) })
		if err != nil {
			return v.Verified, err
		}
	}
	err = s.checkAccounts(ctx, &v)
	return v.Verified, err
}

// integrity is what SQLite finds wrong with its own structures.
func (s *Store) integrity(ctx context.Context) (findings []string, err error) {
	rows, err := s.reading.QueryContext(ctx, "PRAGMA integrity_check")
	if err != nil {
		return unreadable(ctx, "database", err)
	}
	defer func() { _ = rows.Close() }() // its error is that of Err
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return findings, err
		}
		if code := pageError.FindStringSubmatch(text); code != nil {
			// SQLite tells as a finding that it could not read a page, and what it misses then.
			if n, err := strconv.Atoi(code[1]); err == nil && !isDamageCode(n) {
				_, err := unreadable(ctx, "the database", errors.New(code[0]))
				return nil, err
			}
		}
		if text != "ok" {
			findings = append(findings, "database: "+text)
		}
	}
	if err := rows.Err(); err != nil {
		more, err := unreadable(ctx, "database", err)
		return append(findings, more...), err
	}
	return findings, nil
}

var pageError = regexp.MustCompile(`unable to get the page\. error code=(\d+)`)

// unreadable makes a finding of an error in reading that says that the database is
// damaged. Any other says nothing of what is stored, and is an error.
func unreadable(ctx context.Context, what string, err error) ([]string, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !isDamage(err):
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return []string{what + ": cannot be read: " + err.Error()}, nil
}

// unfinished tells whether a load was begun of which something is missing.
func (s *Store) unfinished(ctx context.Context) (bool, error) {
	name, err := s.Loading(ctx)
	if name != "" || err != nil {
		return true, err
	}
	c, err := s.Contents(ctx)
	if c == (brokerage.Contents{}) || err != nil {
		return false, err
	}
	indexed, err := s.Indexed(ctx)
	return !indexed, err
}

// storedRow is a row with a document; what columns there are beside is for its
// kind.
type storedRow struct {
	id      int64
	packed  []byte
	account int64  // of an order
	cash    []byte // of an order
	columns []any  // of a security, as columns gives them
	price   []byte
	symbol  string // of a security
}

type storedBatch struct {
	rows     []storedRow
	findings []string // why there are no more of them
}

var storedQueries = [...]string{
	dataset.Security: "SELECT id, doc, symbol, name, type, sector, pe, yield, pe_text, yield_text, last_trade, price FROM securities WHERE id > ? ORDER BY id LIMIT ?",
	dataset.Customer: "SELECT id, doc FROM customers WHERE id > ? ORDER BY id LIMIT ?",
	dataset.Order:    "SELECT id, doc, account, cash FROM orders WHERE id > ? ORDER BY id LIMIT ?",
}

// storedRows reads a table in batches. Where a page cannot be read the rest of
// the table is a finding.
func (s *Store) storedRows(ctx context.Context, k dataset.Kind) iter.Seq2[storedBatch, error] {
	return func(yield func(storedBatch, error) bool) {
		last := int64(-1) << 63
		for {
			b, err := s.storedBatch(ctx, k, last)
			if err != nil {
				found, end := unreadable(ctx, fmt.Sprintf("%s after %d: the rest", k, last), err)
				if end != nil {
					yield(b, end)
					return
				}
				b.findings = append(b.findings, found...)
			}
			if len(b.rows) == 0 && err == nil || !yield(b, nil) || err != nil {
				return
			}
			last = b.rows[len(b.rows)-1].id
		}
	}
}

func (s *Store) storedBatch(ctx context.Context, k dataset.Kind, after int64) (b storedBatch, err error) {
	rows, err := s.reading.QueryContext(ctx, storedQueries[k], after, bulk.VerifyBatch)
	if err != nil {
		return b, err
	}
	defer func() { _ = rows.Close() }() // its error is that of Err
	for rows.Next() {
		var r storedRow
		switch k {
		case dataset.Security:
			var name, typ, sector, peText, yieldText, lastTrade string
			var pe, yield int64
			err = rows.Scan(&r.id, &r.packed, &r.symbol, &name, &typ, &sector, &pe, &yield, &peText, &yieldText, &lastTrade, &r.price)
			r.columns = []any{name, typ, sector, pe, yield, peText, yieldText, lastTrade}
		case dataset.Customer:
			err = rows.Scan(&r.id, &r.packed)
		default:
			err = rows.Scan(&r.id, &r.packed, &r.account, &r.cash)
		}
		if err != nil {
			return b, err
		}
		b.rows = append(b.rows, r)
	}
	return b, rows.Err()
}

// check looks at the documents of a batch.
func (s *Store) check(ctx context.Context, k dataset.Kind, b storedBatch) bulk.Inspected {
	seen := bulk.Inspected{Findings: b.findings}
	var of map[int64][]int64 // nil: not known, so nothing is compared with it
	if k == dataset.Customer && len(b.rows) > 0 {
		var err error
		first, last := b.rows[0].id, b.rows[len(b.rows)-1].id
		if of, err = s.accountsOf(ctx, first, last); err != nil {
			of = nil
			found, end := unreadable(ctx, fmt.Sprintf("accounts of customers %d to %d", first, last), err)
			if end != nil {
				seen.Err = end
				return seen
			}
			seen.Findings = append(seen.Findings, found...)
		}
	}
	for _, r := range b.rows {
		name := fmt.Sprintf("%s %d", k, r.id)
		if k == dataset.Security {
			name = "security " + r.symbol
		}
		wrong := func(format string, args ...any) { seen.Wrong(name, format, args...) }
		doc, err := s.codec.Load().unpack(r.packed)
		if err != nil {
			seen.Documents++
			wrong("the document does not unpack: %v", err)
			continue
		}
		if !seen.Document(k, name, doc) {
			continue
		}
		keys := checkKeys(k, r, doc, wrong)
		if customer, ok := keys.(brokerage.CustomerKeys); ok && of != nil {
			if seen.Err = s.checkAccountsOf(ctx, r.id, customer.Accounts, of[r.id], wrong); seen.Err != nil {
				return seen
			}
		}
	}
	return seen
}

// checkKeys compares the columns beside a document with what it says itself, and
// gives its keys; none, if it has none.
func checkKeys(k dataset.Kind, r storedRow, doc []byte, wrong func(string, ...any)) any {
	keys, err := keysOf(k, doc)
	if err != nil {
		wrong("the document has no keys: %v", err)
		return nil
	}
	switch keys := keys.(type) {
	case securityRow:
		if keys.Symbol != r.symbol {
			wrong("the document has symbol %s", keys.Symbol)
		}
		if own := keys.columns()[:len(r.columns)]; !slices.Equal(own, r.columns) {
			wrong("the columns %v are not those of the document, %v", r.columns, own)
		}
		if !bytes.Equal(keys.price, r.price) {
			wrong("the column price is not that of the document")
		}
	case brokerage.OrderKeys:
		if int64(keys.ID) != r.id {
			wrong("the document has id %d", keys.ID)
		}
		if int64(keys.Account) != r.account {
			wrong("account %d, and the document has %d", r.account, keys.Account)
		}
		if !bytes.Equal(keys.Cash, r.cash) || (keys.Cash == nil) != (r.cash == nil) {
			wrong("the column cash is not that of the document")
		}
	case brokerage.CustomerKeys:
		if int64(keys.ID) != r.id {
			wrong("the document has id %d", keys.ID)
		}
		if bulk.Overdrawn(doc) {
			wrong("a position is below zero")
		}
	}
	return keys
}

// accountsOf are the account rows of customers between two ids.
func (s *Store) accountsOf(ctx context.Context, first, last int64) (map[int64][]int64, error) {
	rows, err := s.reading.QueryContext(ctx, "SELECT customer, id FROM accounts WHERE customer BETWEEN ? AND ?", first, last)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is that of Err
	of := make(map[int64][]int64)
	for rows.Next() {
		var customer, id int64
		if err := rows.Scan(&customer, &id); err != nil {
			return of, err
		}
		of[customer] = append(of[customer], id)
	}
	return of, rows.Err()
}

// checkAccountsOf compares the accounts in a customer's document with the rows
// that say they are the customer's. An error is that it could not.
func (s *Store) checkAccountsOf(ctx context.Context, customer int64, document []brokerage.ID, rows []int64, wrong func(string, ...any)) error {
	for _, row := range rows {
		if !slices.Contains(document, brokerage.ID(row)) {
			wrong("account %d belongs to it, but is not in its document", row)
		}
	}
	for _, account := range document {
		if slices.Contains(rows, int64(account)) {
			continue
		}
		other, err := s.CustomerOf(ctx, account)
		switch _, nobody := errors.AsType[*brokerage.NotFound](err); {
		case nobody:
			wrong("account %d is in the document, but belongs to nobody", account)
			continue
		case err != nil:
			found, err := unreadable(ctx, fmt.Sprintf("account %d", account), err)
			if err != nil {
				return err
			}
			wrong("%s", found[0])
			continue
		}
		twice, err := s.hasAccount(ctx, other, account)
		switch {
		case err != nil:
			return err
		case twice && int64(other) != customer:
			wrong("account %d is in two customers: it belongs to %d, and is in its document too", account, other)
		default:
			wrong("account %d is in the document, but belongs to customer %d", account, other)
		}
	}
	return nil
}

// hasAccount tells whether an account is in a customer's document, which may be
// missing or damaged: that is found elsewhere.
func (s *Store) hasAccount(ctx context.Context, customer, account brokerage.ID) (bool, error) {
	b, err := packed(ctx, s, getCustomer, int64(customer))
	if _, missing := errors.AsType[*brokerage.NotFound](err); missing {
		return false, nil
	}
	if err != nil {
		_, err = unreadable(ctx, fmt.Sprintf("customer %d", customer), err)
		return false, err
	}
	doc, err := s.codec.Load().unpack(b)
	if err != nil {
		return false, nil //nolint:nilerr // it is a finding of that customer
	}
	keys, err := brokerage.CustomerKeysOf(doc)
	return err == nil && slices.Contains(keys.Accounts, account), nil
}

// checkAccounts looks for account rows of customers that do not exist; those of
// customers that do were compared with their documents.
func (s *Store) checkAccounts(ctx context.Context, v *bulk.Verification) error {
	rows, err := s.reading.QueryContext(ctx, `SELECT a.id, a.customer FROM accounts a
		WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = a.customer)`)
	failed := func(err error) error {
		findings, err := unreadable(ctx, "accounts", err)
		if err != nil {
			return err
		}
		return v.Tell(ctx, findings...)
	}
	if err != nil {
		return failed(err)
	}
	defer func() { _ = rows.Close() }() // its error is that of Err
	for rows.Next() {
		var id, customer int64
		if err := rows.Scan(&id, &customer); err != nil {
			return err
		}
		if err := v.Tell(ctx, fmt.Sprintf("account %d: belongs to customer %d, who does not exist", id, customer)); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return failed(err)
	}
	if err := s.reading.QueryRowContext(ctx, "SELECT count(*) FROM accounts").Scan(&v.Accounts); err != nil {
		return failed(err)
	}
	return nil
}
