package postgres

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/dataset"
)

// tableNames are without the schema.
var tableNames = [...]string{dataset.Security: "securities", dataset.Customer: "customers", dataset.Order: "orders"}

// copyDocuments inserts documents by COPY. accounts are those of orders, by which each gets its customer.
func copyDocuments(ctx context.Context, tx pgx.Tx, k dataset.Kind, docs [][]byte, accounts []int64) error {
	columns := "doc"
	var owners map[int64]int64
	if k == dataset.Order {
		columns = "customer, doc"
		var err error
		if owners, err = ownersOf(ctx, tx, accounts); err != nil {
			return err
		}
	}
	var rows copied
	for i, doc := range docs {
		if k == dataset.Order {
			rows.owner(owners[accounts[i]])
		}
		rows.document(doc)
	}
	sql := fmt.Sprintf("COPY brokerage.%s (%s) FROM STDIN", tableNames[k], columns)
	_, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(rows), sql)
	return err
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

func (c *copied) owner(customer int64) {
	if customer == 0 {
		*c = append(*c, `\N`...)
	} else {
		*c = strconv.AppendInt(*c, customer, 10)
	}
	*c = append(*c, '\t')
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
