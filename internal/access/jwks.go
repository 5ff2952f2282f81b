package access

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// The signature algorithms of JWTs. HMAC is not among them: whoever can verify such a signature can create one.
const (
	RS256 = "RS256"
	ES256 = "ES256"
	EdDSA = "EdDSA"
)

// Algorithms are all signature algorithms.
var Algorithms = [...]string{RS256, ES256, EdDSA}

// verificationKey is a public key and the only algorithm that it may be used with. The header of a token never chooses
// how a key is used.
type verificationKey struct {
	algorithm string
	public    crypto.PublicKey
}

// keySet is a set of keys by their ids; the id of a key without one is "".
type keySet map[string]verificationKey

// jwk is a key of a JWKS (RFC 7517).
type jwk struct {
	Type, ID, Use, Algorithm, Curve string
	Operations                      []string
	N, E, X, Y                      string
}

// UnmarshalJSON reads a key; the names of its members must match exactly.
func (k *jwk) UnmarshalJSON(text []byte) error {
	return readMembers(text, map[string]any{
		"kty": &k.Type, "kid": &k.ID, "use": &k.Use, "key_ops": &k.Operations, "alg": &k.Algorithm, "crv": &k.Curve,
		"n": &k.N, "e": &k.E, "x": &k.X, "y": &k.Y,
	})
}

// maxKeys is far more than any issuer uses at a time.
const maxKeys = 100

// parseKeys reads a JWKS. Keys that do not verify signatures by one of the algorithms are left out, as RFC 7517
// requires; an invalid key for one of them is an error. A set without any key is an error too: it is far more often a
// mistake than meant to lock all clients out.
func parseKeys(text []byte, algorithms []string) (keySet, error) {
	var listed []json.RawMessage
	if err := readMembers(text, map[string]any{"keys": &listed}); err != nil {
		return nil, fmt.Errorf("not a JWKS: %w", err)
	}
	if len(listed) > maxKeys {
		return nil, fmt.Errorf("there are more than %d keys", maxKeys)
	}
	keys := keySet{}
	for i, text := range listed {
		var k jwk
		if err := json.Unmarshal(text, &k); err != nil {
			return nil, fmt.Errorf("not a JWKS: key %d: %w", i+1, err)
		}
		algorithm := k.algorithm()
		if !slices.Contains(algorithms, algorithm) || !k.verifies() {
			continue
		}
		public, err := k.public(algorithm)
		if err != nil {
			return nil, fmt.Errorf("key %d (%q): %w", i+1, k.ID, err)
		}
		if _, twice := keys[k.ID]; twice {
			return nil, fmt.Errorf("key %d: there is another with the id %q", i+1, k.ID)
		}
		keys[k.ID] = verificationKey{algorithm, public}
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key for any of the algorithms")
	}
	return keys, nil
}

// algorithm returns the algorithm that a key is for, "" for one that is not accepted.
func (k *jwk) algorithm() string {
	of := map[[2]string]string{
		{"RSA", ""}: RS256, {"EC", "P-256"}: ES256, {"OKP", "Ed25519"}: EdDSA,
	}[[2]string{k.Type, k.Curve}]
	if k.Algorithm != "" && k.Algorithm != of && (of != EdDSA || k.Algorithm != "Ed25519") { // RFC 9864's name for it
		return ""
	}
	return of
}

func (k *jwk) verifies() bool {
	return (k.Use == "" || k.Use == "sig") && (k.Operations == nil || slices.Contains(k.Operations, "verify"))
}

// Bounds of an RSA key in bits: shorter ones can be broken, longer ones take too long to verify.
const minRSA, maxRSA = 2048, 8192

func (k *jwk) public(algorithm string) (crypto.PublicKey, error) {
	switch algorithm {
	case RS256:
		return k.rsa()
	case ES256:
		x, errX := decode(k.X)
		y, errY := decode(k.Y)
		const size = 32
		if errX != nil || errY != nil || len(x) != size || len(y) != size {
			return nil, errors.New("x and y are not 32 bytes each, in base64url")
		}
		public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			return nil, errors.New("the point is not on the curve")
		}
		return public, nil
	default:
		x, err := decode(k.X)
		if err != nil || len(x) != ed25519.PublicKeySize {
			return nil, errors.New("x is not 32 bytes in base64url")
		}
		return ed25519.PublicKey(x), nil
	}
}

func (k *jwk) rsa() (crypto.PublicKey, error) {
	n, errN := decode(k.N)
	e, errE := decode(k.E)
	if errN != nil || errE != nil || len(e) > 4 {
		return nil, errors.New("n and e are not numbers in base64url")
	}
	public := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
	switch bits := public.N.BitLen(); {
	case bits < minRSA || bits > maxRSA:
		return nil, fmt.Errorf("it has %d bits instead of %d to %d", bits, minRSA, maxRSA)
	case public.N.Bit(0) == 0 || public.E < 3 || public.E%2 == 0:
		return nil, errors.New("it is not an RSA key")
	}
	return public, nil
}

func decode(text string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(text) }

// find returns the key of a token: the one with its id or, if the token names none, the only key of the set.
func (k keySet) find(id string) (verificationKey, bool) {
	if key, ok := k[id]; ok || id != "" || len(k) != 1 {
		return key, ok
	}
	for _, only := range k {
		return only, true
	}
	return verificationKey{}, false
}

var errNoObject = errors.New("not a JSON object")

// readMembers decodes the members of a JSON object that have one of the names in into, and skips the others. Names
// match exactly: with a struct, encoding/json would take "SCOPE" and "ſcope" for "scope" too. A repeated name is an
// error, since readers differ in which one they use; the contents of a skipped member do not matter.
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
