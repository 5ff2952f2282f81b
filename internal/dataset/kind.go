package dataset

import "fmt"

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

var kindNames = [...]string{Security: "security", Customer: "customer", Order: "order"}

// String returns "security", "customer" or "order".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind is the inverse of [Kind.String].
func ParseKind(s string) (Kind, error) {
	for k, name := range kindNames {
		if s == name {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("dataset: unknown kind %q, want security, customer or order", s)
}

// Profile is the version of TPoX that determines shapes and numbers of documents.
type Profile uint8

// The two profiles: TPoX 2.0 is the default, TPoX 1.x what the papers up to 2008 measured.
const (
	TPoX2 Profile = iota
	TPoX1
)

var profileNames = [...]string{TPoX2: "tpox-2", TPoX1: "tpox-1"}

// String returns "tpox-2" or "tpox-1".
func (p Profile) String() string {
	if int(p) < len(profileNames) {
		return profileNames[p]
	}
	return fmt.Sprintf("Profile(%d)", uint8(p))
}

// ParseProfile is the inverse of [Profile.String].
func ParseProfile(s string) (Profile, error) {
	for p, name := range profileNames {
		if s == name {
			return Profile(p), nil
		}
	}
	return 0, fmt.Errorf("dataset: unknown profile %q, want tpox-2 or tpox-1", s)
}
