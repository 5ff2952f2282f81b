package tpox

import (
	"context"
	"encoding/hex"
	"time"
)

// A Token names a state of the database that contains a certain write. Only the store that made a token can interpret
// it; the zero Token names no state.
type Token [16]byte

// String returns the form of a token that clients see: 32 lower-case hexadecimal digits.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// ParseToken parses what String returns.
func ParseToken(s string) (t Token, ok bool) {
	if len(s) != hex.EncodedLen(len(t)) {
		return t, false
	}
	if _, err := hex.Decode(t[:], []byte(s)); err != nil || t.String() != s { // upper case is another text
		return Token{}, false
	}
	return t, true
}

// Freshness says how old the answer of a read may be, so that a store with replicas may answer from one of them. If
// both conditions are set, both must hold. Without a condition, the answer is from the primary.
type Freshness struct {
	After  Token         // the answer contains the write that the token is from; zero for no such condition
	Within time.Duration // the answer contains every write acknowledged longer ago; 0 for no such condition
}

type freshnessKey struct{}

// WithFreshness returns a context for reads whose answers may be from a replica. Writes ignore it, and so do stores
// without replicas, whose answers fulfil every condition.
func WithFreshness(ctx context.Context, f Freshness) context.Context {
	return context.WithValue(ctx, freshnessKey{}, f)
}

// FreshnessOf returns what WithFreshness has set, or the zero Freshness.
func FreshnessOf(ctx context.Context) Freshness {
	f, _ := ctx.Value(freshnessKey{}).(Freshness)
	return f
}
