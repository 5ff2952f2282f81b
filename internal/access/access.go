// Package access identifies clients and what they may do: by bearer tokens from a file, each with a name and scopes,
// and by JWTs of an issuer.
//
// The file holds the SHA-256 of a token, not the token. That is enough for tokens of 32 random bytes, which cannot be
// guessed from their hashes; it would not be for passwords.
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

// Scopes are all scopes.
var Scopes = [...]Scope{Read, Trade, Admin}

// ParseScopes reads a list that is separated by commas. An empty list, unknown scopes and repeated ones are errors.
func ParseScopes(text string) ([]Scope, error) {
	var scopes []Scope
	for name := range strings.SplitSeq(text, ",") {
		scope := Scope(name)
		switch {
		case !slices.Contains(Scopes[:], scope):
			return nil, fmt.Errorf("%q is not a scope: scopes are read, trade and admin, separated by commas", name)
		case slices.Contains(scopes, scope):
			return nil, fmt.Errorf("the scope %s is repeated", scope)
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

// Client is the client that sent a request.
type Client struct {
	Name   string
	Scopes []Scope
}

// May reports whether the client has a scope.
func (c *Client) May(s Scope) bool { return slices.Contains(c.Scopes, s) }

// Authority identifies clients by the value of an Authorization header. Requests that this causes belong to the trace
// of ctx.
type Authority interface {
	Client(ctx context.Context, authorization string) (*Client, bool)
}

// Any combines authorities: the first one that recognises a client identifies it.
type Any []Authority

// Client asks the authorities in order.
func (a Any) Client(ctx context.Context, authorization string) (*Client, bool) {
	for _, authority := range a {
		if c, ok := authority.Client(ctx, authorization); ok {
			return c, true
		}
	}
	return nil, false
}

// maxName bounds a name in the file of tokens: names go into logs and, with idempotency keys, into the database.
const maxName = 64

// CheckName returns an error for a name that does not fit into the file or a log: names have letters, digits and ".",
// "_", "-", "@".
func CheckName(name string) error {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-@", r)
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("%q is not a name: 1 to %d letters, digits, \".\", \"_\", \"-\" and \"@\"", name, maxName)
	}
	return nil
}

// NewToken returns a new random token for a client, and its line for the file.
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
