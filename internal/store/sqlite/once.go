package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"brokerage/internal/tpox"
)

var (
	getAnswer     = &statement{name: "get_answer"}
	keepAnswer    = &statement{name: "keep_answer"}
	forgetAnswers = &statement{name: "forget_answers"}
)

// write runs a transaction that returns an answer. A transaction with an idempotency key runs once; later calls with
// the key return the kept answer.
func (s *Store) write(
	ctx context.Context, w tpox.Write, do func(*transaction) ([]byte, error),
) (answer []byte, err error) {
	err = s.writer.write(ctx, func(t *transaction) error {
		once := w.Once
		if once == nil {
			answer, err = do(t)
			return err
		}
		var hash, kept []byte
		var expires int64
		switch err := t.row(getAnswer, []any{once.Client, once.Key}, &hash, &kept, &expires); {
		case errors.Is(err, sql.ErrNoRows), err == nil && expires <= w.Now.Unix():
		case err != nil:
			return err
		case !bytes.Equal(hash, once.Hash[:]):
			return &tpox.KeyReused{Key: once.Key}
		default:
			answer = kept
			return nil
		}
		if answer, err = do(t); err != nil {
			return err
		}
		if answer == nil {
			answer = []byte{}
		}
		_, err = t.exec(keepAnswer, once.Client, once.Key, once.Hash[:], answer, once.Expires.Unix())
		if err != nil {
			return err
		}
		return s.purge(t, w.Now)
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// Expired answers are removed a few at a time, in the transaction that keeps an answer, so that no group waits long.
const (
	purgeEvery = time.Minute
	purgeRows  = 200
)

// purge removes expired answers, unless the last purge that left none of them was less than purgeEvery ago.
func (s *Store) purge(t *transaction, now time.Time) error {
	if now.Sub(s.purged).Abs() < purgeEvery {
		return nil
	}
	rows, err := t.exec(forgetAnswers, now.Unix(), int64(purgeRows))
	if err == nil && rows < purgeRows {
		s.purged = now
	}
	return err
}
