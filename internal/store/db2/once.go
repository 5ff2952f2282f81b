package db2

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"brokerage/internal/brokerage"
)

// keyOf is the row of an idempotency key: the lengths keep client and key apart.
func keyOf(once *brokerage.Once) string {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, uint64(len(once.Client))) // a hash takes everything
	h.Write([]byte(once.Client))
	h.Write([]byte(once.Key))
	return hex.EncodeToString(h.Sum(nil))
}

// claim sees what is known of the idempotency key, and makes it this request's
// where nothing is. Kept is the answer that the key has already, never nil then.
func (t *tx) claim(w brokerage.Write) (kept []byte, err error) {
	id, hash := keyOf(w.Once), hex.EncodeToString(w.Once.Hash[:])
	now, expires := w.Now.UnixMilli(), w.Once.Expires.UnixMilli()
	var keptHash string
	var until int64
	found, err := row(t.ctx, t, "get_answer", []any{id}, []any{&keptHash, &until})
	if err != nil {
		return nil, err
	}
	switch {
	case found && until > now && keptHash != hash:
		return nil, &brokerage.KeyReused{Key: w.Once.Key}
	case found && until > now:
		return t.kept(id)
	case found:
		var claimed bool
		if claimed, err = t.exec("claim_expired_key", hash, expires, id, now); err == nil && claimed {
			return nil, nil
		}
	default:
		if _, err = t.exec("claim_key", id, hash, expires); err == nil {
			return nil, nil
		}
	}
	switch {
	case isLockTimeout(err):
		return nil, &brokerage.Conflict{Reason: brokerage.KeyInUse, Detail: "the same request is still running"}
	case err == nil || isDuplicate(err):
		// Somebody with the same key was quicker, and has committed: what they
		// answered is there for the next attempt.
		return nil, &ServerError{Code: codeRolledBack, Message: "another request with the same key was quicker"}
	}
	return nil, err
}

// kept is the answer of a key, which has one.
func (t *tx) kept(id string) ([]byte, error) {
	answer := []byte{}
	err := eachDocument(t.ctx, t, statements["get_kept"], []any{id}, func(text []byte) { answer = text })
	return answer, err
}

func (t *tx) keep(once *brokerage.Once, answer []byte) error {
	_, err := t.exec("keep_answer", answer, keyOf(once))
	return err
}

// purgeEvery is how often expired answers are looked for, after one was kept.
const purgeEvery = time.Minute

// purge removes some answers that have expired, if it is time to. It is not part
// of the write, which is done: what it cannot do now, the next can.
func (s *Store) purge(ctx context.Context, now time.Time) {
	last := s.purged.Load()
	if now.Sub(time.Unix(last, 0)).Abs() < purgeEvery || !s.purged.CompareAndSwap(last, now.Unix()) {
		return
	}
	if _, err := s.db.ExecContext(ctx, statements["forget_answers"], now.UnixMilli()); err != nil {
		s.purged.Store(0)
	}
}
