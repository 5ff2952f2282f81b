// Package access says who may do what: bearer tokens from a file, each with a name and scopes, and JWTs of an issuer.
//
// The file holds the SHA-256 of a token, not the token. That is enough for tokens of 32 random bytes, which nobody can
// guess from their sums; it would not be for passwords.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Scope is what a client may do. No scope includes another.
type Scope string

const (
	Read  Scope = "read"  // queries
	Trade Scope = "trade" // the writes of the 17 transactions, and leases
	Admin Scope = "admin" // replacing whole documents
)

// Scopes are all there are.
var Scopes = [...]Scope{Read, Trade, Admin}

// ParseScopes reads a list with commas. It refuses an empty one, unknown scopes and repetitions.
func ParseScopes(text string) ([]Scope, error) {
	var scopes []Scope
	for name := range strings.SplitSeq(text, ",") {
		scope := Scope(name)
		switch {
		case !slices.Contains(Scopes[:], scope):
			return nil, fmt.Errorf("%q is not a scope: they are read, trade and admin, with commas between", name)
		case slices.Contains(scopes, scope):
			return nil, fmt.Errorf("the scope %s stands twice", scope)
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

// Client is who sent a request.
type Client struct {
	Name   string
	Scopes []Scope
}

// May tells whether the client has a scope.
func (c *Client) May(s Scope) bool { return slices.Contains(c.Scopes, s) }

// Authority knows clients by the value of an Authorization header. The context is the request's: what has to be asked
// for is asked for in its trace.
type Authority interface {
	Client(ctx context.Context, authorization string) (*Client, bool)
}

// Any is all of several authorities: the first that knows a client names it.
type Any []Authority

// Client asks one after the other.
func (a Any) Client(ctx context.Context, authorization string) (*Client, bool) {
	for _, authority := range a {
		if c, ok := authority.Client(ctx, authorization); ok {
			return c, true
		}
	}
	return nil, false
}

// maxName bounds the name of a client: it goes into logs and, with idempotency keys, into the database.
const maxName = 64

// CheckName refuses a name that could not stand in the file or a log: it is of letters, digits and ".", "_", "-", "@".
func CheckName(name string) error {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-@", r)
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("%q is not a name: 1 to %d letters, digits, \".\", \"_\", \"-\" and \"@\"", name, maxName)
	}
	return nil
}

// NewToken makes a token for a client, and the line of the file for it.
func NewToken(c Client) (token, line string) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails
	token = base64.RawURLEncoding.EncodeToString(secret[:])
	sum := sha256.Sum256([]byte(token))
	names := make([]string, len(c.Scopes))
	for i, scope := range c.Scopes {
		names[i] = string(scope)
	}
	return token, c.Name + ":" + strings.Join(names, ",") + ":" + hex.EncodeToString(sum[:])
}
