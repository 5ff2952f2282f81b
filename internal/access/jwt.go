package access

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

// The signature algorithms of JWTs. HMAC is not among them: whoever can verify such a signature can create one.
const (
	RS256 = "RS256"
	ES256 = "ES256"
	EdDSA = "EdDSA"
)

// Algorithms are all signature algorithms.
var Algorithms = [...]string{RS256, ES256, EdDSA}

// JWTOptions configure which JWTs are accepted.
type JWTOptions struct {
	Issuer, Audience string        // the "iss" claim, and what the "aud" claim must contain
	KeysURL          string        // URL of a JWKS, or else
	KeysFile         string        // a file with a JWKS
	Algorithms       []string      // of Algorithms; nil is all
	MaxAge           time.Duration // how long keys stay valid while they cannot be refreshed; 0 is 24 hours
	// Refreshed is called after each refresh of the keys, with their number or the reason why it failed. The old keys
	// stay valid after a failure. It may be nil.
	Refreshed func(keys int, err error)
	// Transport sends the requests for keys; nil means the default transport.
	Transport http.RoundTripper

	now     func() time.Time // for tests
	pause   time.Duration    // between refreshes for unknown keys; 0 is unknownKeyPause
	timeout time.Duration    // of a refresh; 0 is fetchTimeout
}

// leeway is how much the clocks of the issuer and of the service may differ.
const leeway = 30 * time.Second

// JWTs identifies clients by the tokens of an issuer. It is safe for concurrent use.
type JWTs struct {
	keys   keyfunc.Keyfunc
	parser *jwt.Parser
	reload func(ctx context.Context, interval time.Duration) // watches a file
}

// OpenJWTs fetches the issuer's keys for the first time. An issuer that does not answer is no error, since the service
// may have other clients: its tokens are refused until it answers. Keys from a URL are refreshed until ctx is done. A
// missing file is an error.
func OpenJWTs(ctx context.Context, o JWTOptions) (*JWTs, error) {
	switch {
	case o.Issuer == "" || o.Audience == "":
		// A token for another service of the same issuer must not be accepted.
		return nil, errors.New("an issuer and an audience are needed")
	case (o.KeysURL == "") == (o.KeysFile == ""):
		return nil, errors.New("either the URL or the file of the key set is needed, not both")
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
			return nil, fmt.Errorf("%q is not a supported algorithm: use some of %s", a, strings.Join(Algorithms[:], ", "))
		}
	}
	if o.pause == 0 {
		o.pause = unknownKeyPause
	}
	if o.timeout == 0 {
		o.timeout = fetchTimeout
	}
	held := &heldKeys{
		Storage: jwkset.NewMemoryStorage(), algorithms: o.Algorithms, maxAge: o.MaxAge, now: o.now, refreshed: o.Refreshed,
	}
	j := &JWTs{
		parser: jwt.NewParser(jwt.WithValidMethods(o.Algorithms), jwt.WithIssuer(o.Issuer), jwt.WithAudience(o.Audience),
			jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(o.now), jwt.WithStrictDecoding()),
		reload: func(context.Context, time.Duration) {},
	}
	var storage jwkset.Storage = held
	var err error
	if o.KeysURL != "" {
		storage, err = held.fromURL(ctx, o)
	} else {
		held.maxAge = 0 // a file is current, whenever it was written
		file := Look(o.KeysFile)
		held.read(ctx, o.KeysFile)
		j.reload = func(ctx context.Context, interval time.Duration) {
			file.Watch(ctx, interval, func() { held.read(ctx, o.KeysFile) })
		}
		if held.tooOld() {
			err = fmt.Errorf("no usable key could be read from %s", o.KeysFile)
		}
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	j.keys, err = keyfunc.New(keyfunc.Options{Ctx: ctx, Storage: storage})
	return j, err
}

// Watch polls a file of keys at each interval until ctx is done, and rereads it when it has changed.
func (j *JWTs) Watch(ctx context.Context, interval time.Duration) { j.reload(ctx, interval) }

// maxJWT bounds what is decoded before the client is known.
const maxJWT = 8 << 10

// prefixJWT distinguishes the names of an issuer's clients from those of a file of tokens, which have no colon:
// idempotency keys belong to a name.
const prefixJWT = "jwt:"

const maxSubject = 128

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
		return nil, errors.New("the token has critical headers, which are not supported (RFC 7515, 4.1.11)")
	}
	if typ, has := t.Header["typ"]; has {
		text, _ := typ.(string)
		kind := strings.TrimPrefix(strings.ToLower(text), "application/")
		if kind != "jwt" && kind != "at+jwt" {
			return nil, errors.New("the header typ names another kind of token")
		}
	}
	// A client that goes away must not end the refresh that its token has caused: tokens with invented keys, from clients
	// that leave at once, could otherwise prevent every refresh that the rate limit allows.
	return j.keys.KeyfuncCtx(context.WithoutCancel(ctx))(t)
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
		"iss": &c.Issuer, "sub": &c.Subject, "aud": &c.Audience, "exp": &date{&c.ExpiresAt}, "nbf": &date{&c.NotBefore},
		"iat": &date{&c.IssuedAt}, "jti": &c.ID, "scope": &scope, "scp": &scp,
	}); err != nil {
		return err
	}
	if scope != nil && scp != nil {
		return errors.New("the token has both scope and scp")
	}
	c.scopes = slices.Concat(scope, scp)
	return nil
}

// A date is a time of a token, in seconds. It refuses a time after the year 9999: the library would treat a time that
// is too large for a time.Time as past.
type date struct{ to **jwt.NumericDate }

func (d *date) UnmarshalJSON(text []byte) error {
	const year10000 = 253402300800
	var seconds float64
	if err := json.Unmarshal(text, &seconds); err != nil {
		return err
	}
	if math.Abs(seconds) >= year10000 {
		return fmt.Errorf("%g is not a time", seconds)
	}
	return json.Unmarshal(text, d.to)
}

// scopeList is a list of scopes: in JSON a list, or words in a string. It is not nil after reading.
type scopeList []string

func (s *scopeList) UnmarshalJSON(text []byte) error {
	var words string
	if err := json.Unmarshal(text, &words); err == nil {
		*s = strings.FieldsFunc(words, func(c rune) bool { return c == ' ' }) // and no other space: RFC 6749, 3.3
		return nil
	}
	return json.Unmarshal(text, (*[]string)(s))
}

var errNoObject = errors.New("not a JSON object")

// readMembers decodes the members of a JSON object whose names are keys of into, and skips the others. Names match
// exactly: with a struct, encoding/json would take "SCOPE" and "ſcope" for "scope" too. A repeated name is an error,
// since readers differ in which one they use; the contents of a skipped member do not matter.
func readMembers(text []byte, into map[string]any) error {
	if !json.Valid(text) {
		return errNoObject
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if opening, err := d.Token(); err != nil || opening != json.Delim('{') {
		return errNoObject
	}
	seen := make(map[string]struct{}, len(into))
	var skipped json.RawMessage
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if _, twice := seen[name]; twice {
			return fmt.Errorf("%q occurs twice", name)
		}
		seen[name] = struct{}{}
		to, wanted := into[name]
		if !wanted {
			to = &skipped
		}
		if err := d.Decode(to); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}
