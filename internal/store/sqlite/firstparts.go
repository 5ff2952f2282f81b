package sqlite

import (
	"bytes"
	"context"
	"database/sql"

	"brokerage/internal/tpox"
)

// programs holds the steps of migrations that are written in Go, by the name of the migration's SQL file. A step runs
// after the SQL of its file, and only on a database that exists already.
var programs = map[string]func(context.Context, *sql.Tx) error{"migrations/0003_first_parts.sql": firstParts}

// firstParts recomputes the columns beside documents: an older version of the program may have filled them from an
// element that is not the first of its name. It skips damaged documents, which verify reports. It reads each table in
// the order of the ids, so that SQLite may update a row before the next one is read.
func firstParts(ctx context.Context, tx *sql.Tx) error {
	dictionaries, err := readDictionaries(ctx, tx)
	if err != nil {
		return err
	}
	c, err := newCodec(dictionaries, false)
	if err != nil {
		return err
	}
	// Orders without cash are skipped: if none of the elements has one, the first has none either.
	const withCash = "SELECT id, doc FROM orders NOT INDEXED WHERE cash IS NOT NULL ORDER BY id"
	err = eachRow(ctx, tx, withCash, nil, func(rows *sql.Rows) error {
		var id int64
		var packed []byte
		if err := rows.Scan(&id, &packed); err != nil {
			return err
		}
		doc, err := c.unpack(packed)
		if keys, unkeyed := tpox.OrderKeysOf(doc); err != nil || unkeyed != nil || keys.Cash != nil {
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
		keys, unkeyed := tpox.SecurityKeysOf(doc)
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
