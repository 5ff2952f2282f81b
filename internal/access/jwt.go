package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"brokerage/internal/filewatch"
)

// JWTOptions say which JWTs are accepted.
type JWTOptions struct {
	Issuer, Audience string        // the "iss" claim, and what the "aud" claim must contain
	KeysURL          string        // URL of a JWKS; or
	KeysFile         string        // a file with one
	Algorithms       []string      // of Algorithms; nil is all
	MaxAge           time.Duration // how long keys stay valid while they cannot be refreshed; 0 is 24 hours
	// Refreshed is called after each refresh of the keys, with their number or the reason why it failed. The old keys
	// stay valid after a failure. It may be nil.
	Refreshed func(keys int, err error)
	// Transport sends the requests for keys; nil is the default one.
	Transport http.RoundTripper

	now func() time.Time // for tests
}

// leeway is how much the clocks of the issuer and of the service may differ.
const leeway = 30 * time.Second

// JWTs identifies clients by the tokens of an issuer. It is safe for concurrent use.
type JWTs struct {
	keys   keyring
	parser *jwt.Parser
}

// OpenJWTs fetches the issuer's keys for the first time. An issuer that does not answer is no error, since the service
// may have other clients: its tokens are refused until it answers. A missing file is an error, and so is ctx being
// done.
func OpenJWTs(ctx context.Context, o JWTOptions) (*JWTs, error) {
	switch {
	case o.Issuer == "" || o.Audience == "":
		// A token for another service of the same issuer must not be accepted.
		return nil, errors.New("an issuer and an audience are needed")
	case (o.KeysURL == "") == (o.KeysFile == ""):
		return nil, errors.New("either the URL of the keys is needed, or a file of them")
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.Refreshed == nil {
		o.Refreshed = func(int, error) {}
	}
	if o.MaxAge <= 0 {
		o.MaxAge = 24 * time.Hour
	}
	if o.Algorithms == nil {
		o.Algorithms = Algorithms[:]
	}
	for _, a := range o.Algorithms {
		if !slices.Contains(Algorithms[:], a) {
			return nil, fmt.Errorf("%q is not an accepted algorithm: they are %s", a, strings.Join(Algorithms[:], ", "))
		}
	}
	j := &JWTs{
		keys: keyring{algs: o.Algorithms, maxAge: o.MaxAge, now: o.now, refreshed: o.Refreshed},
		parser: jwt.NewParser(jwt.WithValidMethods(o.Algorithms), jwt.WithIssuer(o.Issuer), jwt.WithAudience(o.Audience),
			jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(o.now), jwt.WithStrictDecoding()),
	}
	if o.KeysURL != "" {
		if err := checkKeysURL(o.KeysURL); err != nil {
			return nil, fmt.Errorf("the URL of the keys: %w", err)
		}
		j.keys.fetch = fromURL(o.KeysURL, o.Transport)
	} else {
		j.keys.file, j.keys.fetch = filewatch.Look(o.KeysFile), fromFile(o.KeysFile)
		j.keys.maxAge = 1<<63 - 1 // a file is current, whenever it was written
	}
	j.keys.refreshNow(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.KeysFile != "" && j.keys.current.Load() == nil {
		return nil, fmt.Errorf("there are no keys in %s", o.KeysFile)
	}
	return j, nil
}

// Watch refreshes the keys until ctx is done; it checks a file for changes at each interval.
func (j *JWTs) Watch(ctx context.Context, look time.Duration) { j.keys.watch(ctx, look) }

// maxJWT bounds what is decoded before the client is known.
const maxJWT = 8 << 10

// Client returns the client of an Authorization header: "Bearer" and a JWT of the issuer for the audience, signed, not
// expired, with a subject.
func (j *JWTs) Client(ctx context.Context, authorization string) (*Client, bool) {
	token, ok := bearer(authorization, maxJWT)
	if !ok {
		return nil, false
	}
	var c claims
	key := func(t *jwt.Token) (any, error) { return j.key(ctx, t) }
	if _, err := j.parser.ParseWithClaims(token, &c, key); err != nil {
		return nil, false
	}
	return c.client()
}

// key returns the key of a token that is not verified yet.
func (j *JWTs) key(ctx context.Context, t *jwt.Token) (any, error) {
	// The library would accept a header with repeated names and use the last one. readMembers refuses such a header.
	header, _, _ := strings.Cut(t.Raw, ".")
	text, err := j.parser.DecodeSegment(header)
	if err == nil {
		err = readMembers(text, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	if _, critical := t.Header["crit"]; critical {
		return nil, errors.New("it has critical headers, which are not supported (RFC 7515, 4.1.11)")
	}
	kind, ofToken := t.Header["typ"].(string)
	if _, said := t.Header["typ"]; said && (!ofToken || !isTokenType(kind)) {
		return nil, errors.New("it is another kind of token")
	}
	id, isText := t.Header["kid"].(string)
	if _, said := t.Header["kid"]; said && !isText {
		return nil, errors.New("the key id is not a text")
	}
	key, ok := j.keys.find(ctx, id)
	if !ok || key.algorithm != t.Method.Alg() {
		return nil, errors.New("there is no such key")
	}
	return key.public, nil
}

func isTokenType(kind string) bool {
	kind = strings.TrimPrefix(strings.ToLower(kind), "application/")
	return kind == "jwt" || kind == "at+jwt"
}

// claims are the claims of a token that are used.
type claims struct {
	jwt.RegisteredClaims

	scopes scopeList
}

// UnmarshalJSON reads claims; their names must match exactly.
func (c *claims) UnmarshalJSON(text []byte) error {
	var scope, scp scopeList // RFC 8693's name, and that of other issuers; nil: absent
	if err := readMembers(text, map[string]any{
		"iss": &c.Issuer, "sub": &c.Subject, "aud": &c.Audience, "exp": &c.ExpiresAt, "nbf": &c.NotBefore,
		"iat": &c.IssuedAt, "jti": &c.ID, "scope": &scope, "scp": &scp,
	}); err != nil {
		return err
	}
	if scope != nil && scp != nil {
		return errors.New("it has both scope and scp")
	}
	c.scopes = slices.Concat(scope, scp)
	return nil
}

// scopeList is a list of scopes, or words in a string. It is not nil after reading.
type scopeList []string

func (s *scopeList) UnmarshalJSON(text []byte) error {
	var words string
	if err := json.Unmarshal(text, &words); err == nil {
		*s = strings.FieldsFunc(words, func(c rune) bool { return c == ' ' }) // and no other space: RFC 6749, 3.3
		return nil
	}
	return json.Unmarshal(text, (*[]string)(s))
}

// prefixJWT distinguishes the names of an issuer's clients from those of a file of tokens, which have no colon:
// idempotency keys belong to a name.
const prefixJWT = "jwt:"

const maxSubject = 128

func (c *claims) client() (*Client, bool) {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if c.Subject == "" || len(c.Subject) > maxSubject || strings.ContainsFunc(c.Subject, odd) {
		return nil, false
	}
	client := &Client{Name: prefixJWT + c.Subject}
	for _, s := range Scopes { // others are for other services
		if slices.Contains(c.scopes, string(s)) {
			client.Scopes = append(client.Scopes, s)
		}
	}
	return client, true
}
