package sqlite

import (
	"bytes"
	"context"
	"database/sql"

	"brokerage/internal/brokerage"
)

// programs are the parts of migrations that are no SQL, by the names of the files.
var programs = map[string]func(context.Context, *sql.Tx) error{"migrations/0003_first_parts.sql": firstParts}

// firstParts computes the columns beside documents again, which may come from an element that is not the first of its
// name. It leaves damaged documents to verify. The tables are read in order of their ids, so that SQLite may update a
// row that was read before it reads the next.
func firstParts(ctx context.Context, tx *sql.Tx) error {
	dictionaries, err := readDictionaries(ctx, tx)
	if err != nil {
		return err
	}
	c, err := newCodec(dictionaries, false)
	if err != nil {
		return err
	}
	// An order without cash cannot get one by the new rule.
	const withCash = "SELECT id, doc FROM orders NOT INDEXED WHERE cash IS NOT NULL ORDER BY id"
	err = eachRow(ctx, tx, withCash, nil, func(rows *sql.Rows) error {
		var id int64
		var packed []byte
		if err := rows.Scan(&id, &packed); err != nil {
			return err
		}
		doc, err := c.unpack(packed)
		if keys, unkeyed := brokerage.OrderKeysOf(doc); err != nil || unkeyed != nil || keys.Cash != nil {
			return nil //nolint:nilerr // verify reports it
		}
		_, err = tx.ExecContext(ctx, "UPDATE orders SET cash = NULL WHERE id = ?", id)
		return err
	})
	if err != nil {
		return err
	}
	const prices = "SELECT id, doc, last_trade, price FROM securities NOT INDEXED ORDER BY id"
	return eachRow(ctx, tx, prices, nil, func(rows *sql.Rows) error {
		var id int64
		var packed, price []byte
		var lastTrade string
		if err := rows.Scan(&id, &packed, &lastTrade, &price); err != nil {
			return err
		}
		doc, err := c.unpack(packed)
		keys, unkeyed := brokerage.SecurityKeysOf(doc)
		if err != nil || unkeyed != nil {
			return nil //nolint:nilerr // verify reports it
		}
		row := securityRowOf(keys, doc)
		if row.lastTrade == lastTrade && bytes.Equal(row.price, price) {
			return nil
		}
		_, err = tx.ExecContext(ctx, "UPDATE securities SET last_trade = ?, price = ? WHERE id = ?",
			row.lastTrade, row.price, id)
		return err
	})
}
