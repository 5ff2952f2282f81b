package db2

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"brokerage/internal/tpox"
)

// keyOf returns the id of an idempotency key's row: a hash, with the length of the client so that client and key do not
// run together.
func keyOf(once *tpox.Once) string {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, uint64(len(once.Client))) // a hash takes everything
	h.Write([]byte(once.Client))
	h.Write([]byte(once.Key))
	return hex.EncodeToString(h.Sum(nil))
}

// claim claims the idempotency key for this request. If the answer to this request is kept already, claim returns it as
// kept, which is then not nil. The error is *tpox.KeyReused if the answer to another request is kept.
func (t *tx) claim(w tpox.Write) (kept []byte, err error) {
	id, hash := keyOf(w.Once), hex.EncodeToString(w.Once.Hash[:])
	now, expires := w.Now.UnixMilli(), w.Once.Expires.UnixMilli()
	var keptHash string
	var until int64
	found, err := row(t.ctx, t, "get_answer", []any{id}, []any{&keptHash, &until})
	switch {
	case err != nil:
		return nil, err
	case found && until > now && keptHash != hash:
		return nil, &tpox.KeyReused{Key: w.Once.Key}
	case found && until > now:
		kept = []byte{}
		err = eachDocument(t.ctx, t, statements["get_kept"], []any{id}, func(text []byte) { kept = text })
		return kept, err
	}
	statement, args := "claim_key", []any{id, hash, expires}
	if found {
		statement, args = "claim_expired_key", []any{hash, expires, id, now}
	}
	claimed, err := t.exec(statement, args...)
	switch {
	case isLockTimeout(err):
		return nil, &tpox.Conflict{Reason: tpox.KeyInUse, Detail: "a request with this idempotency key is still running"}
	case isDuplicate(err), err == nil && !claimed:
		// Another request with the same key has committed; the next attempt finds its answer.
		return nil, &ServerError{Code: codeRolledBack, Message: "another request with the same key was quicker"}
	}
	return nil, err
}

// keep stores the answer with the key that this transaction has claimed. If the claim is gone, so is what was written
// with it: the client library has replaced a broken connection within the transaction. Another attempt may succeed.
func (t *tx) keep(once *tpox.Once, answer []byte) error {
	claimed, err := t.exec("keep_answer", answer, keyOf(once))
	if err == nil && !claimed {
		err = &ServerError{Code: codeRolledBack, Message: "the claim of the idempotency key is lost"}
	}
	return err
}

// purgeEvery is the shortest time between two searches for expired answers.
const purgeEvery = time.Minute

// purge removes some expired answers, at most once in purgeEvery. It is not part of the write, which is committed
// already, and ignores errors: a later call removes what this one could not.
func (s *Store) purge(ctx context.Context, now time.Time) {
	last := s.purged.Load()
	if now.Sub(time.Unix(last, 0)).Abs() < purgeEvery || !s.purged.CompareAndSwap(last, now.Unix()) {
		return
	}
	_, _ = s.db.ExecContext(ctx, statements["forget_answers"], now.UnixMilli())
}
