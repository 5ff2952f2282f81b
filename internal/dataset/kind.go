package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of documents. The order is that of a load: documents come after those that they refer to.
type Kind uint8

// The three kinds.
const (
	Security Kind = iota
	Customer
	Order
)

// Kinds lists all kinds in load order.
var Kinds = [...]Kind{Security, Customer, Order}

var kindNames = []string{"security", "customer", "order"}

// String returns "security", "customer" or "order".
func (k Kind) String() string { return nameOf("Kind", kindNames, k) }

// ParseKind is the inverse of [Kind.String].
func ParseKind(s string) (Kind, error) { return parseName[Kind]("kind", kindNames, s) }

// Profile is the version of TPoX that determines shapes and numbers of documents.
type Profile uint8

// The two profiles: TPoX 2.0 is the default, TPoX 1.x what the papers up to 2008 measured.
const (
	TPoX2 Profile = iota
	TPoX1
)

var profileNames = []string{"tpox-2", "tpox-1"}

// String returns "tpox-2" or "tpox-1".
func (p Profile) String() string { return nameOf("Profile", profileNames, p) }

// ParseProfile is the inverse of [Profile.String].
func ParseProfile(s string) (Profile, error) { return parseName[Profile]("profile", profileNames, s) }

func nameOf[T ~uint8](what string, names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", what, uint8(v))
}

func parseName[T ~uint8](what string, names []string, s string) (T, error) {
	i := slices.Index(names, s)
	if i < 0 {
		last := len(names) - 1
		return 0, fmt.Errorf("dataset: unknown %s %q, want %s or %s", what, s, strings.Join(names[:last], ", "), names[last])
	}
	return T(i), nil
}
