package postgres

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// tableNames are without the schema.
var tableNames = [...]string{dataset.Security: "securities", dataset.Customer: "customers", dataset.Order: "orders"}

// copyDocuments inserts documents by COPY. keys are those of orders.
func (s single) copyDocuments(ctx context.Context, tx pgx.Tx, k dataset.Kind, docs [][]byte, keys []any) error {
	columns := "doc"
	var accounts []int64
	var owners map[int64]int64
	if k == dataset.Order {
		columns = "customer, doc"
		accounts = accountsOf(keys)
		var err error
		if owners, err = ownersOf(ctx, tx, accounts); err != nil {
			return err
		}
	}
	var rows copied
	for i, doc := range docs {
		if k == dataset.Order {
			rows.id(owners[accounts[i]])
		}
		rows.document(doc)
	}
	return rows.to(ctx, tx, tableNames[k], columns)
}

// copyDocuments inserts documents by COPY, with what finds them.
func (s spread) copyDocuments(ctx context.Context, tx pgx.Tx, k dataset.Kind, docs [][]byte, keys []any) error {
	switch k {
	case dataset.Customer:
		return s.copyCustomers(ctx, tx, docs, keys)
	case dataset.Order:
		return s.copyOrders(ctx, tx, docs, keys)
	default:
		return s.copySecurities(ctx, tx, docs, keys)
	}
}

func (s spread) copySecurities(ctx context.Context, tx pgx.Tx, docs [][]byte, keys []any) error {
	var rows copied
	for i, doc := range docs {
		rows.text([]byte(keys[i].(tpox.SecurityKeys).Symbol)) //nolint:forcetypeassert // of a security
		rows.document(doc)
	}
	return rows.to(ctx, tx, "securities", "symbol, doc")
}

func (s spread) copyCustomers(ctx context.Context, tx pgx.Tx, docs [][]byte, keys []any) error {
	var wanted []int64
	for _, k := range keys {
		for _, account := range k.(tpox.CustomerKeys).Accounts { //nolint:forcetypeassert // of a customer
			wanted = append(wanted, int64(account))
		}
	}
	homes, err := s.homesOf(ctx, tx, wanted)
	if err != nil {
		return err
	}
	var customers, accounts copied
	for i, doc := range docs {
		k := keys[i].(tpox.CustomerKeys) //nolint:forcetypeassert // of a customer
		var elsewhere []string
		for _, account := range k.Accounts {
			home, seen := homes[int64(account)]
			switch {
			case !seen:
				accounts.id(int64(account))
				accounts.id(int64(k.ID))
				accounts.last(int64(k.ID))
				continue
			case home.customer != 0:
				return tpox.DuplicateAccount(account)
			case home.home != int64(k.ID):
				elsewhere = append(elsewhere, account.String())
			}
			if _, err := tx.Exec(ctx, s.sql("claim_account"), account, k.ID); err != nil {
				return err
			}
		}
		customers.id(int64(k.ID))
		customers.text([]byte("{" + strings.Join(elsewhere, ",") + "}"))
		customers.document(doc)
	}
	if err := customers.to(ctx, tx, "customers", "customer, elsewhere, doc"); err != nil || len(accounts) == 0 {
		return err
	}
	return accounts.to(ctx, tx, "account_homes", "account, home, customer")
}

func (s spread) copyOrders(ctx context.Context, tx pgx.Tx, docs [][]byte, keys []any) error {
	accounts := accountsOf(keys)
	homes, err := s.homesOf(ctx, tx, accounts)
	if err != nil {
		return err
	}
	unseen := slices.DeleteFunc(slices.Sorted(slices.Values(accounts)), func(account int64) bool {
		_, seen := homes[account]
		return seen
	})
	if len(unseen) > 0 {
		if _, err := tx.Exec(ctx, s.sql("first_orders"), slices.Compact(unseen)); err != nil {
			return err
		}
		if homes, err = s.homesOf(ctx, tx, accounts); err != nil {
			return err
		}
	}
	var orders, ids copied
	for i, doc := range docs {
		id, home := int64(keys[i].(tpox.OrderKeys).ID), homes[accounts[i]].home //nolint:forcetypeassert // of an order
		ids.id(id)
		ids.last(home)
		orders.id(home)
		orders.id(id)
		orders.document(doc)
	}
	if err := ids.to(ctx, tx, "order_homes", "id, home"); err != nil {
		return err
	}
	return orders.to(ctx, tx, "orders", "home, id, doc")
}

// An accountHome is a row of account_homes; customer is 0 if no customer has the account.
type accountHome struct{ home, customer int64 }

func (s spread) homesOf(ctx context.Context, tx pgx.Tx, accounts []int64) (map[int64]accountHome, error) {
	rows, _ := tx.Query(ctx, s.sql("account_homes"), accounts) // ForEachRow returns the error
	homes := make(map[int64]accountHome, len(accounts))
	var account int64
	var found accountHome
	_, err := pgx.ForEachRow(rows, []any{&account, &found.home, &found.customer}, func() error {
		homes[account] = found
		return nil
	})
	return homes, err
}

func accountsOf(keys []any) (accounts []int64) {
	for _, k := range keys {
		accounts = append(accounts, int64(k.(tpox.OrderKeys).Account)) //nolint:forcetypeassert // of an order
	}
	return accounts
}

func ownersOf(ctx context.Context, tx pgx.Tx, accounts []int64) (map[int64]int64, error) {
	// ForEachRow returns the error of the query.
	rows, _ := tx.Query(ctx, "SELECT account, customer FROM brokerage.accounts WHERE account = ANY($1)", accounts)
	owners := make(map[int64]int64, len(accounts))
	var account, customer int64
	_, err := pgx.ForEachRow(rows, []any{&account, &customer}, func() error {
		owners[account] = customer
		return nil
	})
	return owners, err
}

// copied holds lines in the text format of COPY. Its binary format has another form for xml, and is not faster where a
// row is one text.
type copied []byte

func (c copied) to(ctx context.Context, tx pgx.Tx, table, columns string) error {
	sql := fmt.Sprintf("COPY brokerage.%s (%s) FROM STDIN", table, columns)
	_, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(c), sql)
	return err
}

// id appends an id, which is NULL for 0.
func (c *copied) id(id int64) {
	if id == 0 {
		*c = append(*c, `\N`...)
	} else {
		*c = strconv.AppendInt(*c, id, 10)
	}
	*c = append(*c, '\t')
}

// last appends an id and ends the line.
func (c *copied) last(id int64) { *c = append(strconv.AppendInt(*c, id, 10), '\n') }

func (c *copied) text(text []byte) {
	c.document(text)
	(*c)[len(*c)-1] = '\t'
}

// special are the bytes that have a meaning in the text format; escapes replaces them.
const special = "\\\n\r\t"

var escapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// document appends a document and ends the line. Most documents have nothing to escape: looking for each special byte
// on its own takes a seventh of the time of bytes.IndexAny.
func (c *copied) document(doc []byte) {
	for i := range special {
		if bytes.IndexByte(doc, special[i]) >= 0 {
			doc = []byte(escapes.Replace(string(doc)))
			break
		}
	}
	*c = append(append(*c, doc...), '\n')
}
