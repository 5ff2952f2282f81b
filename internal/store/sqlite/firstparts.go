package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"brokerage/internal/brokerage"
)

// programs are the parts of migrations that are no SQL, by the names of the files.
var programs = map[string]func(context.Context, *sql.Tx) error{"migrations/0003_first_parts.sql": firstParts}

// firstParts computes the columns beside documents again, which may come from an element that is not the first of its
// name. It leaves damaged documents to verify.
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
	err = updateEach(ctx, tx, "SELECT id, doc FROM orders WHERE cash IS NOT NULL AND id > ? ORDER BY id LIMIT 1000",
		"UPDATE orders SET cash = NULL WHERE id = ?",
		func(rows *sql.Rows) (id int64, args []any, err error) {
			var packed []byte
			if err := rows.Scan(&id, &packed); err != nil {
				return id, nil, err
			}
			doc, damaged := c.unpack(packed)
			if keys, unkeyed := brokerage.OrderKeysOf(doc); damaged == nil && unkeyed == nil && keys.Cash == nil {
				args = []any{id}
			}
			return id, args, nil
		})
	if err != nil {
		return err
	}
	return updateEach(ctx, tx,
		"SELECT id, doc, last_trade, price FROM securities WHERE id > ? ORDER BY id LIMIT 1000",
		"UPDATE securities SET last_trade = ?, price = ? WHERE id = ?",
		func(rows *sql.Rows) (id int64, args []any, err error) {
			var packed, price []byte
			var lastTrade string
			if err := rows.Scan(&id, &packed, &lastTrade, &price); err != nil {
				return id, nil, err
			}
			doc, damaged := c.unpack(packed)
			keys, unkeyed := brokerage.SecurityKeysOf(doc)
			if damaged != nil || unkeyed != nil {
				return id, nil, nil //nolint:nilerr // verify reports it
			}
			row := securityRowOf(keys, doc)
			if row.lastTrade != lastTrade || !bytes.Equal(row.price, price) {
				args = []any{row.lastTrade, row.price, id}
			}
			return id, args, nil
		})
}

// updateEach calls scan with each row of a table, in order of ids, and runs update with the arguments that it returns,
// unless they are nil, after each batch of rows.
func updateEach(
	ctx context.Context, tx *sql.Tx, query, update string,
	scan func(*sql.Rows) (id int64, args []any, err error),
) error {
	for last, more := int64(-1)<<63, true; more; {
		rows, err := tx.QueryContext(ctx, query, last)
		if err != nil {
			return err
		}
		var updates [][]any
		for more = false; err == nil && rows.Next(); more = true {
			var args []any
			if last, args, err = scan(rows); args != nil {
				updates = append(updates, args)
			}
		}
		err = errors.Join(err, rows.Err(), rows.Close()) //nolint:sqlclosecheck // the updates need the connection
		for i := 0; err == nil && i < len(updates); i++ {
			_, err = tx.ExecContext(ctx, update, updates[i]...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
