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
	err = eachStored(ctx, tx, "SELECT id, doc FROM orders WHERE cash IS NOT NULL AND id > ? ORDER BY id LIMIT 1000",
		func(rows *sql.Rows) (id int64, change func() error, err error) {
			var packed []byte
			if err := rows.Scan(&id, &packed); err != nil {
				return id, nil, err
			}
			doc, damaged := c.unpack(packed)
			keys, unkeyed := brokerage.OrderKeysOf(doc)
			if damaged != nil || unkeyed != nil || keys.Cash != nil {
				return id, nil, nil //nolint:nilerr // verify reports it
			}
			return id, func() error {
				_, err := tx.ExecContext(ctx, "UPDATE orders SET cash = NULL WHERE id = ?", id)
				return err
			}, nil
		})
	if err != nil {
		return err
	}
	return eachStored(ctx, tx, "SELECT id, doc, last_trade, price FROM securities WHERE id > ? ORDER BY id LIMIT 1000",
		func(rows *sql.Rows) (id int64, change func() error, err error) {
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
			if row.lastTrade == lastTrade && bytes.Equal(row.price, price) {
				return id, nil, nil
			}
			return id, func() error {
				_, err := tx.ExecContext(ctx, "UPDATE securities SET last_trade = ?, price = ? WHERE id = ?",
					row.lastTrade, row.price, id)
				return err
			}, nil
		})
}

// eachStored calls look with each row of a table, in order of ids, and makes the returned changes after each batch.
func eachStored(
	ctx context.Context, tx *sql.Tx, query string, look func(*sql.Rows) (id int64, change func() error, err error),
) error {
	for last, more := int64(-1)<<63, true; more; {
		rows, err := tx.QueryContext(ctx, query, last)
		if err != nil {
			return err
		}
		var changes []func() error
		for more = false; rows.Next(); more = true {
			var change func() error
			if last, change, err = look(rows); err != nil {
				break
			}
			if change != nil {
				changes = append(changes, change)
			}
		}
		err = errors.Join(err, rows.Err(), rows.Close()) //nolint:sqlclosecheck // the changes need the connection
		for _, change := range changes {
			if err == nil {
				err = change()
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
