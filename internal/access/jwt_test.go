package access

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

func TestJWTs_Client(t *testing.T) {
	rs, es, ed := newSigner(t, "r", RS256), newSigner(t, "e", ES256), newSigner(t, "d", EdDSA)
	j := openedJWTs(t, newIssuer(t, jwks(t, rs.jwk(t), es.jwk(t), ed.jwk(t))).URL, nil)
	type m = map[string]any
	for name, c := range map[string]struct {
		token  string
		name   string
		scopes []Scope
	}{
		"RS256":          {rs.sign(t, nil, nil), "jwt:ann", []Scope{Read, Trade}},
		"ES256":          {es.sign(t, nil, nil), "jwt:ann", []Scope{Read, Trade}},
		"EdDSA":          {ed.sign(t, nil, nil), "jwt:ann", []Scope{Read, Trade}},
		"Scp":            {es.sign(t, m{"scope": nil, "scp": []string{"admin", "mail"}}, nil), "jwt:ann", []Scope{Admin}},
		"ScpWords":       {es.sign(t, m{"scope": nil, "scp": "read admin"}, nil), "jwt:ann", []Scope{Read, Admin}},
		"NoScope":        {es.sign(t, m{"scope": nil}, nil), "jwt:ann", nil},
		"ScopeInCase":    {es.sign(t, m{"scope": "READ reading"}, nil), "jwt:ann", nil},
		"Audiences":      {es.sign(t, m{"aud": []string{"other", "brokerage"}}, nil), "jwt:ann", []Scope{Read, Trade}},
		"AccessToken":    {es.sign(t, nil, m{"typ": "application/at+JWT"}), "jwt:ann", []Scope{Read, Trade}},
		"NoType":         {es.sign(t, nil, m{"typ": nil}), "jwt:ann", []Scope{Read, Trade}},
		"NoKeyID":        {es.sign(t, nil, m{"kid": nil}), "jwt:ann", []Scope{Read, Trade}},
		"OddSubject":     {es.sign(t, m{"sub": "https://x/|y"}, nil), "jwt:https://x/|y", []Scope{Read, Trade}},
		"ExpiredJustNow": {es.sign(t, m{"exp": noon.Add(-29 * time.Second).Unix()}, nil), "jwt:ann", []Scope{Read, Trade}},
		"NearlyValid":    {es.sign(t, m{"nbf": noon.Add(29 * time.Second).Unix()}, nil), "jwt:ann", []Scope{Read, Trade}},
	} {
		t.Run(name, func(t *testing.T) {
			client, ok := j.Client(t.Context(), "bearer "+c.token)
			require.True(t, ok)
			require.Equal(t, &Client{Name: c.name, Scopes: c.scopes}, client)
		})
	}
}

func TestJWTs_Refusals(t *testing.T) {
	rs, es, ed := newSigner(t, "r", RS256), newSigner(t, "e", ES256), newSigner(t, "d", EdDSA)
	stranger := newSigner(t, "e", ES256)
	j := openedJWTs(t, newIssuer(t, jwks(t, rs.jwk(t), es.jwk(t), ed.jwk(t))).URL, nil)
	type m = map[string]any
	// by signs with any method and key, such as HMAC with the public key, which an attacker has, as its secret.
	by := func(method jwt.SigningMethod, key any, header m) string {
		token := jwt.NewWithClaims(method, good())
		merge(token.Header, header)
		text, err := token.SignedString(key)
		require.NoError(t, err)
		return text
	}
	der, err := x509.MarshalPKIXPublicKey(rs.key.Public())
	require.NoError(t, err)
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	rsaKey, _ := rs.key.(*rsa.PrivateKey)
	proper := es.sign(t, nil, nil)
	parts := strings.Split(proper, ".")
	for name, token := range map[string]string{
		"Empty":            "",
		"NoToken":          "x",
		"TwoParts":         parts[0] + "." + parts[1],
		"FourParts":        proper + "." + parts[2],
		"NoSignature":      parts[0] + "." + parts[1] + ".",
		"OtherClaims":      parts[0] + "." + strings.Split(es.sign(t, m{"scope": "admin"}, nil), ".")[1] + "." + parts[2],
		"SignatureTwice":   proper + parts[2],
		"Padded":           proper + "==",
		"Stranger":         stranger.sign(t, nil, nil),
		"StrangerOwnKey":   stranger.sign(t, nil, m{"jwk": stranger.jwk(t), "jku": "http://127.0.0.1:1/keys"}),
		"UnknownKey":       es.sign(t, nil, m{"kid": "x"}),
		"OtherKey":         es.sign(t, nil, m{"kid": "r"}),
		"KeyIsNoText":      es.sign(t, nil, m{"kid": 7}),
		"None":             by(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, m{"kid": "e"}),
		"HMACByPEM":        by(jwt.SigningMethodHS256, public, m{"kid": "r"}),
		"HMACByDER":        by(jwt.SigningMethodHS256, der, m{"kid": "r"}),
		"HMACByModulus":    by(jwt.SigningMethodHS256, rsaKey.N.Bytes(), m{"kid": "r"}),
		"HMACByEdwards":    by(jwt.SigningMethodHS256, []byte(ed.key.Public().(ed25519.PublicKey)), m{"kid": "d"}),
		"RS512":            by(jwt.SigningMethodRS512, rs.key, m{"kid": "r"}),
		"PS256":            by(jwt.SigningMethodPS256, rs.key, m{"kid": "r"}),
		"Critical":         es.sign(t, nil, m{"crit": []string{"exp"}}),
		"LogoutToken":      es.sign(t, nil, m{"typ": "logout+jwt"}),
		"OtherIssuer":      es.sign(t, m{"iss": "https://issuer.test/"}, nil),
		"NoIssuer":         es.sign(t, m{"iss": nil}, nil),
		"OtherAudience":    es.sign(t, m{"aud": "brokerage2"}, nil),
		"NoAudience":       es.sign(t, m{"aud": nil}, nil),
		"EmptyAudience":    es.sign(t, m{"aud": []string{}}, nil),
		"Expired":          es.sign(t, m{"exp": noon.Add(-31 * time.Second).Unix()}, nil),
		"NoExpiry":         es.sign(t, m{"exp": nil}, nil),
		"ExpiryIsText":     es.sign(t, m{"exp": "never"}, nil),
		"NotYet":           es.sign(t, m{"nbf": noon.Add(31 * time.Second).Unix()}, nil),
		"NotYetOverflows":  es.sign(t, m{"nbf": 1e300}, nil),
		"ExpiryOverflows":  es.sign(t, m{"exp": 1e300}, nil),
		"IssuedOverflows":  es.sign(t, m{"iat": 1e300}, nil),
		"NoSubject":        es.sign(t, m{"sub": nil}, nil),
		"SubjectIsNumber":  es.sign(t, m{"sub": 7}, nil),
		"SubjectOfTwo":     es.sign(t, m{"sub": "a b"}, nil),
		"SubjectWithLines": es.sign(t, m{"sub": "a\nb"}, nil),
		"LongSubject":      es.sign(t, m{"sub": strings.Repeat("a", 129)}, nil),
		"ScopeIsNumber":    es.sign(t, m{"scope": 7}, nil),
		"ScopeAndScp":      es.sign(t, m{"scope": "read", "scp": []string{"trade"}}, nil),
		"NullScopeAndScp":  es.signed(t, properHeader, `{`+properClaims+`,"scope":null,"scp":"trade"}`),
		"TypeIsNumber":     es.sign(t, nil, m{"typ": 7}),
		"Long":             es.sign(t, m{"more": strings.Repeat("a", 8<<10)}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			client, ok := j.Client(t.Context(), "Bearer "+token)
			require.False(t, ok)
			require.Nil(t, client)
		})
	}
	_, ok := j.Client(t.Context(), "Bearer "+proper)
	require.True(t, ok)
	_, ok = j.Client(t.Context(), "Basic "+proper)
	require.False(t, ok)
}

// Names of claims are case-sensitive (RFC 7519, 10.1.1), but encoding/json matches "SCOPE" and "ſcope" with "scope".
// A claim with such a name neither adds to the claim "scope" nor replaces it.
func TestJWTs_NamesAreExact(t *testing.T) {
	es := newSigner(t, "e", ES256)
	j := openedJWTs(t, newIssuer(t, jwks(t, es.jwk(t))).URL, nil)
	for name, c := range map[string]struct {
		claims string
		scopes []Scope // nil: the token is refused
		header string  // "" for the proper one
	}{
		"Proper":       {properClaims + `,"scope":"read trade"`, []Scope{Read, Trade}, ""},
		"Scope":        {properClaims + `,"scope":"read trade","SCOPE":"admin"`, []Scope{Read, Trade}, ""},
		"ScopeBefore":  {properClaims + `,"Scope":"admin","scope":"read trade"`, []Scope{Read, Trade}, ""},
		"ScopeLongS":   {properClaims + `,"scope":"read trade","ſcope":"admin"`, []Scope{Read, Trade}, ""},
		"ScopeEscaped": {properClaims + `,"scope":"read trade","\u017fcope":"admin"`, []Scope{Read, Trade}, ""},
		"OtherSpaces":  {properClaims + `,"scope":"read  trade trade\tadmin trade\u00a0admin"`, []Scope{Read, Trade}, ""},
		"Scp":          {properClaims + `,"scope":"read trade","SCP":"admin"`, []Scope{Read, Trade}, ""},
		"ExpOfAnother": {`"iss":"https://issuer.test","aud":"brokerage","sub":"ann","exp":1,"EXP":99999999999,"scope":"read"`,
			nil, ""},
		"NoExp": {`"iss":"https://issuer.test","aud":"brokerage","sub":"ann","Exp":99999999999,"scope":"read"`, nil, ""},
		"AudOfAnother": {
			`"iss":"https://issuer.test","aud":"x","AUD":"brokerage","sub":"ann","exp":99999999999,"scope":"read"`, nil, ""},
		"IssOfAnother": {
			`"iss":"x","ISS":"https://issuer.test","aud":"brokerage","sub":"ann","exp":99999999999,"scope":"read"`, nil, ""},
		"IssLongS": {`"iss":"x","iſs":"https://issuer.test","aud":"brokerage","sub":"ann","exp":99999999999,"scope":"read"`,
			nil, ""},
		"NbfOfAnother":    {properClaims + `,"nbf":99999999999,"NBF":1,"scope":"read"`, nil, ""},
		"SubOfAnother":    {properClaims + `,"SUB":"root","ſub":"root","scope":"read"`, []Scope{Read}, ""},
		"TwoScopes":       {properClaims + `,"scope":"read","scope":"admin"`, nil, ""},
		"TwoSame":         {properClaims + `,"scope":"read","scope":"read"`, nil, ""},
		"TwoEscaped":      {properClaims + `,"scope":"read","sco\u0070e":"admin"`, nil, ""},
		"TwoSubjects":     {properClaims + `,"sub":"root","scope":"read"`, nil, ""},
		"TwoOfAnother":    {properClaims + `,"x":1,"x":2,"scope":"read"`, nil, ""},
		"TwoInside":       {properClaims + `,"x":{"y":1,"y":2},"scope":"read"`, []Scope{Read}, ""},
		"SameInTwoPlaces": {properClaims + `,"x":[{"scope":"admin"},{"scope":"admin"}],"scope":"read"`, []Scope{Read}, ""},
		"TwoKeys":         {properClaims + `,"scope":"read"`, nil, `"alg":"ES256","kid":"x","kid":"e"`},
		"TwoAlgorithms":   {properClaims + `,"scope":"read"`, nil, `"alg":"none","kid":"e","alg":"ES256"`},
		"TwoTypes":        {properClaims + `,"scope":"read"`, nil, `"alg":"ES256","kid":"e","typ":"logout+jwt","typ":"JWT"`},
		"AlgInCapitals":   {properClaims + `,"scope":"read"`, nil, `"ALG":"ES256","kid":"e"`},
		"HeaderOthers": {properClaims + `,"scope":"read"`,
			[]Scope{Read}, properHeader + `,"ALG":"none","KID":"x","ſ":"","TYP":"logout+jwt"`},
		"KeyIsNumber": {properClaims + `,"scope":"read"`, nil, `"alg":"ES256","kid":7`},
		"TypeIsNull":  {properClaims + `,"scope":"read"`, nil, properHeader + `,"typ":null`},
		"More":        {properClaims + `,"scope":"read"} {`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			client, ok := j.Client(t.Context(), "Bearer "+es.signed(t, cmp.Or(c.header, properHeader), "{"+c.claims+"}"))
			require.Equal(t, c.scopes != nil, ok)
			if ok {
				require.Equal(t, &Client{Name: "jwt:ann", Scopes: c.scopes}, client)
			}
		})
	}
}

// An algorithm that is not configured is not accepted, whatever keys there are.
func TestJWTs_Algorithms(t *testing.T) {
	rs, es := newSigner(t, "r", RS256), newSigner(t, "e", ES256)
	j := openedJWTs(t, newIssuer(t, jwks(t, rs.jwk(t), es.jwk(t))).URL,
		func(o *JWTOptions) { o.Algorithms = []string{ES256} })
	_, ok := j.Client(t.Context(), "Bearer "+rs.sign(t, nil, nil))
	require.False(t, ok)
	_, ok = j.Client(t.Context(), "Bearer "+es.sign(t, nil, nil))
	require.True(t, ok)
	_, ok = j.Client(t.Context(), "Bearer "+es.sign(t, nil, map[string]any{"kid": nil}))
	require.True(t, ok)
}

func TestJWTs_File(t *testing.T) {
	one, two := newSigner(t, "1", ES256), newSigner(t, "2", EdDSA)
	path := filepath.Join(t.TempDir(), "jwks.json")
	put := func(text []byte) {
		require.NoError(t, os.WriteFile(path+".new", text, 0o600))
		require.NoError(t, os.Rename(path+".new", path))
	}
	put(jwks(t, one.jwk(t)))
	refreshed := make(chan error, 100)
	now := &clock{now: noon}
	j := openedJWTs(t, "", func(o *JWTOptions) {
		o.KeysFile, o.Refreshed, o.now = path, func(_ int, err error) { refreshed <- err }, now.time
	})
	require.NoError(t, <-refreshed)
	go j.Watch(t.Context(), time.Millisecond)
	knows := func(s signer) bool {
		_, ok := j.Client(t.Context(), "Bearer "+s.sign(t, map[string]any{"exp": noon.Add(10000 * time.Hour).Unix()}, nil))
		return ok
	}
	require.True(t, knows(one))
	now.pass(1000 * time.Hour)
	require.True(t, knows(one), "a file that is there counts")
	put(jwks(t, two.jwk(t)))
	require.NoError(t, <-refreshed)
	require.True(t, knows(two))
	put([]byte("{"))
	require.ErrorContains(t, <-refreshed, path)
	require.True(t, knows(two))

	_, err := OpenJWTs(t.Context(), JWTOptions{Issuer: "i", Audience: "a", KeysFile: path})
	require.ErrorContains(t, err, "no usable key could be read from "+path)
}

func TestOpenJWTs_Refusals(t *testing.T) {
	for name, c := range map[string]struct {
		o    JWTOptions
		says string
	}{
		"NoIssuer":   {JWTOptions{Audience: "a", KeysURL: "https://x"}, "an issuer and an audience"},
		"NoAudience": {JWTOptions{Issuer: "i", KeysURL: "https://x"}, "an issuer and an audience"},
		"NoKeys":     {JWTOptions{Issuer: "i", Audience: "a"}, "either the URL"},
		"Both":       {JWTOptions{Issuer: "i", Audience: "a", KeysURL: "https://x", KeysFile: "y"}, "either the URL"},
		"NoURL":      {JWTOptions{Issuer: "i", Audience: "a", KeysURL: "x"}, "the URL of the keys is invalid"},
		"Plain":      {JWTOptions{Issuer: "i", Audience: "a", KeysURL: "http://issuer.test/keys"}, "must be https"},
		"Password":   {JWTOptions{Issuer: "i", Audience: "a", KeysURL: "https://a:b@x"}, "must not hold a password"},
		"HMAC": {JWTOptions{Issuer: "i", Audience: "a", KeysURL: "https://x", Algorithms: []string{"HS256"}},
			"RS256, ES256, EdDSA"},
		"None": {JWTOptions{Issuer: "i", Audience: "a", KeysURL: "https://x", Algorithms: []string{"none"}},
			"RS256, ES256, EdDSA"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenJWTs(t.Context(), c.o)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// No token but the proper one is accepted, whatever its bytes.
func FuzzJWTs_Client(f *testing.F) {
	es := newSigner(f, "e", ES256)
	path := testenv.File(f, "jwks.json", string(jwks(f, es.jwk(f))))
	j := openedJWTs(f, "", func(o *JWTOptions) { o.KeysFile = path })
	proper := es.sign(f, nil, nil)
	f.Add(proper)
	header, err := json.Marshal(map[string]string{"alg": "none"})
	require.NoError(f, err)
	f.Add(base64.RawURLEncoding.EncodeToString(header) + ".e30.")
	f.Fuzz(func(t *testing.T, token string) {
		_, ok := j.Client(t.Context(), "Bearer "+token)
		require.Equal(t, token == proper, ok)
	})
}

func BenchmarkJWTs_Client(b *testing.B) {
	for _, algorithm := range Algorithms {
		s := newSigner(b, "k", algorithm)
		path := testenv.File(b, "jwks.json", string(jwks(b, s.jwk(b))))
		j := openedJWTs(b, "", func(o *JWTOptions) { o.KeysFile = path })
		header := "Bearer " + s.sign(b, nil, nil)
		b.Run(algorithm, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := j.Client(b.Context(), header); !ok {
					b.Fatal("not known")
				}
			}
		})
	}
}
