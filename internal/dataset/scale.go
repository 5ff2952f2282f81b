package dataset

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kind is a kind of documents. Kinds are numbered in load order: documents come after those that they refer to.
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
func (k Kind) String() string { return kindNames[k] }

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
func (p Profile) String() string { return profileNames[p] }

// ParseProfile is the inverse of [Profile.String].
func ParseProfile(s string) (Profile, error) { return parseName[Profile]("profile", profileNames, s) }

func parseName[T ~uint8](what string, names []string, s string) (T, error) {
	i := slices.Index(names, s)
	if i < 0 {
		last := len(names) - 1
		return 0, fmt.Errorf("%q is not a %s: use %s or %s", s, what, strings.Join(names[:last], ", "), names[last])
	}
	return T(i), nil
}

// Scale is the size of a dataset: one that the scenario names, or given numbers of customers and orders. Each named
// scale above XXXS has ten times the customers and orders of the previous one. The zero Scale stands for tiny.
type Scale struct {
	Name  string // CUSTOMERS-ORDERS for given numbers
	step  int8   // index of scaleNames; counted for given numbers
	given [len(Kinds)]int64
}

const counted = -1

var scaleNames = [...]string{"tiny", "XXXS", "XXS", "XS", "S", "M", "L", "XL", "XXL"}

const allSecurities = 20833 // the same at every scale but tiny

// Counts by kind: at tiny, and by profile at XXXS.
var (
	tinyCounts = [len(Kinds)]int64{Security: 500, Customer: 200, Order: 2000}
	base       = [...][len(Kinds)]int64{
		TPoX2: {Security: allSecurities, Customer: 5000, Order: 50_000},
		TPoX1: {Security: allSecurities, Customer: 6000, Order: 30_000},
	}
)

// Scales returns all scales, the smallest first.
func Scales() []Scale {
	all := make([]Scale, len(scaleNames))
	for i, name := range scaleNames {
		all[i] = Scale{Name: name, step: int8(i)}
	}
	return all
}

var ownCounts = regexp.MustCompile(`^(\d{1,12})-(\d{1,12})$`)

// ParseScale returns the scale of a name, in letters of either case, or of given numbers, as CUSTOMERS-ORDERS.
func ParseScale(s string) (Scale, error) {
	for _, scale := range Scales() {
		if strings.EqualFold(s, scale.Name) {
			return scale, nil
		}
	}
	if m := ownCounts.FindStringSubmatch(s); m != nil {
		customers, _ := strconv.ParseInt(m[1], 10, 64) // no error: 1 to 12 digits
		orders, _ := strconv.ParseInt(m[2], 10, 64)
		return ScaleOf(customers, orders)
	}
	return Scale{}, fmt.Errorf("%q is not a scale: use one of %s, or CUSTOMERS-ORDERS", s,
		strings.Join(scaleNames[:], " "))
}

// The largest numbers of documents at any scale: at XXL, of customers in tpox-1 and of orders in tpox-2.
const (
	maxCustomers = 60_000_000_000
	maxOrders    = 500_000_000_000
)

// ScaleOf returns the scale of a dataset with the given numbers of customers and orders, and as many securities as all
// scales but tiny have. It returns an error for numbers that are out of range, and for orders without customers.
func ScaleOf(customers, orders int64) (Scale, error) {
	switch {
	case customers < 0 || customers > maxCustomers:
		return Scale{}, fmt.Errorf("dataset: %d customers: the number must be from 0 to %d", customers, int64(maxCustomers))
	case orders < 0 || orders > maxOrders:
		return Scale{}, fmt.Errorf("dataset: %d orders: the number must be from 0 to %d", orders, int64(maxOrders))
	case customers == 0 && orders > 0:
		return Scale{}, fmt.Errorf("dataset: %d orders need at least one customer", orders)
	}
	return Scale{
		Name: fmt.Sprintf("%d-%d", customers, orders), step: counted,
		given: [...]int64{Security: allSecurities, Customer: customers, Order: orders},
	}, nil
}

// String returns the name, as [ParseScale] takes it.
func (s Scale) String() string {
	if s.step == counted {
		return s.Name
	}
	return scaleNames[s.step]
}

// Count returns the number of documents of kind k in a dataset of this scale and profile p.
func (s Scale) Count(p Profile, k Kind) int64 {
	switch s.step {
	case counted:
		return s.given[k]
	case 0:
		return tinyCounts[k]
	}
	n := base[p][k]
	for range s.step - 1 {
		if k != Security {
			n *= 10
		}
	}
	return n
}

// An increment is what a scale adds to the next smaller one. Its orders refer to its customers, so that an order finds
// its customer at every scale, and customers have as many orders at XXXS as at XXL.
type increment struct {
	orders                  int64 // end of its orders, which begin where those of the previous increment end
	firstAccount, nAccounts int64 // counted over all accounts in order of customers
}
