package db2

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"brokerage/internal/brokerage"
)

// keyOf returns the id of an idempotency key's row: a hash, with the length of the client so that client and key do not
// run together.
func keyOf(once *brokerage.Once) string {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(once.Client))))
	h.Write([]byte(once.Client + once.Key))
	return hex.EncodeToString(h.Sum(nil))
}

// claim claims the idempotency key for this request. If the key has an answer already, claim returns that as kept,
// never nil then.
func (t *tx) claim(w brokerage.Write) (kept []byte, err error) {
	id, hash := keyOf(w.Once), hex.EncodeToString(w.Once.Hash[:])
	now, expires := w.Now.UnixMilli(), w.Once.Expires.UnixMilli()
	var keptHash string
	var until int64
	found, err := row(t.ctx, t, "get_answer", []any{id}, []any{&keptHash, &until})
	switch {
	case err != nil:
		return nil, err
	case found && until > now && keptHash != hash:
		return nil, &brokerage.KeyReused{Key: w.Once.Key}
	case found && until > now:
		return t.kept(id)
	case found:
		err = t.mustChange(errQuicker, "claim_expired_key", hash, expires, id, now)
	default:
		_, err = t.exec("claim_key", id, hash, expires)
	}
	switch {
	case isLockTimeout(err):
		err = &brokerage.Conflict{Reason: brokerage.KeyInUse, Detail: "the same request is still running"}
	case isDuplicate(err):
		err = errQuicker
	}
	return nil, err
}

// errQuicker is the error of a claim when another request with the same key has committed; the next attempt finds its
// answer.
var errQuicker error = &ServerError{Code: codeRolledBack, Message: "another request with the same key was quicker"}

// kept returns the answer of a key that has one.
func (t *tx) kept(id string) ([]byte, error) {
	docs, err := documents(t.ctx, t, "get_kept", id)
	if err != nil || len(docs) == 0 {
		return []byte{}, err
	}
	return docs[0], nil
}

// keep stores the answer with the key that this transaction has claimed. If the claim is gone, so is what was written
// with it: the client library has connected again in the middle of the transaction.
func (t *tx) keep(once *brokerage.Once, answer []byte) error {
	return t.mustChange(errClaimLost, "keep_answer", answer, keyOf(once))
}

// errClaimLost is the error of a transaction whose earlier statements are undone: another attempt may succeed.
var errClaimLost error = &ServerError{
	Code: codeRerouted, State: stateRerouted, Message: "the claim of the idempotency key is lost",
}

// purgeEvery is the shortest time between two searches for expired answers.
const purgeEvery = time.Minute

// purge removes some expired answers, at most once in purgeEvery. It is not part of the write, which is committed
// already, and a later call does what this one cannot.
func (s *Store) purge(ctx context.Context, now time.Time) {
	last := s.purged.Load()
	if now.Sub(time.Unix(last, 0)).Abs() < purgeEvery || !s.purged.CompareAndSwap(last, now.Unix()) {
		return
	}
	if _, err := s.db.ExecContext(ctx, statements["forget_answers"], now.UnixMilli()); err != nil {
		s.purged.Store(0)
	}
}
