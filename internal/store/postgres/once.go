package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/tpox"
)

// readAnswer returns errAnswered for an unexpired answer, *tpox.KeyReused for one to another request, or else nil.
func (t *transaction) readAnswer(row pgx.Row) error {
	var hash, answer []byte
	var expires time.Time
	switch err := row.Scan(&hash, &answer, &expires); {
	case noRows(err), err == nil && !expires.After(t.w.Now):
		return nil
	case err != nil:
		return err
	case !bytes.Equal(hash, t.w.Once.Hash[:]):
		return &tpox.KeyReused{Key: t.w.Once.Key}
	}
	t.answer = answer
	return errAnswered
}

// keepAnswer returns the step that stores the answer.
func (t *transaction) keepAnswer() step {
	once, answer := t.w.Once, t.answer
	if answer == nil {
		answer = []byte{}
	}
	return step{name: "keep_answer", args: []any{
		slotOf(once), []byte(once.Client), []byte(once.Key), once.Hash[:], answer, once.Expires,
	}}
}

// slots is how many parts the answers are divided into by idempotency key; once_slots has a row for each.
const slots = 64

// slotOf returns the part of the answers that a key belongs to.
func slotOf(once *tpox.Once) int { return int(uint64(lockOf(once)) % slots) } //nolint:gosec // a remainder

// lockOf returns the number of the advisory lock for an idempotency key. Two keys are unlikely to have the same number;
// if they do, one request is refused while the other runs.
func lockOf(once *tpox.Once) int64 {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, uint64(len(once.Client))) // a hash returns no error
	h.Write([]byte(once.Client))
	h.Write([]byte(once.Key))
	return int64(binary.BigEndian.Uint64(h.Sum(nil))) //nolint:gosec // all bits count, the sign too
}

// After a write with a key, purge deletes up to purgeRows expired answers of its slot, normally once in purgeEvery.
const (
	purgeEvery = time.Minute
	purgeRows  = 200
)

// purge deletes expired answers of a slot if purgeEvery has passed, or if the last call failed or may have left some.
// It is not part of the write, which is committed: what it cannot do now, the next call does.
func (s *Store) purge(ctx context.Context, once *tpox.Once, now time.Time) {
	slot := slotOf(once)
	purged := &s.purged[slot]
	last := purged.Load()
	if now.Sub(time.Unix(last, 0)).Abs() < purgeEvery || !purged.CompareAndSwap(last, now.Unix()) {
		return
	}
	tag, err := s.pool.Exec(ctx, s.sql("forget_answers"), slot, now, purgeRows)
	if err != nil || tag.RowsAffected() == purgeRows {
		purged.Store(0)
	}
}
