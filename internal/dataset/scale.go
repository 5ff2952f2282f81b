package dataset

import (
	"fmt"
	"strings"
)

// Scale is one of the sizes of the scenario. The zero Scale stands for tiny.
type Scale struct {
	Name string
	step int8 // 0 is tiny, then XXXS and so on: each ten times the one before
}

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

// ParseScale returns the scale of a name, in letters of either case.
func ParseScale(s string) (Scale, error) {
	for _, scale := range Scales() {
		if strings.EqualFold(s, scale.Name) {
			return scale, nil
		}
	}
	return Scale{}, fmt.Errorf("dataset: unknown scale %q, want one of %s", s, strings.Join(scaleNames[:], " "))
}

// String returns the name, as [ParseScale] takes it.
func (s Scale) String() string { return scaleNames[s.step] }

// Count returns the number of documents of kind k in a dataset of this scale and profile p.
func (s Scale) Count(p Profile, k Kind) int64 {
	if s.step == 0 {
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

// A tier is the part that a scale adds to the next smaller one. Orders of a tier refer to customers of the same tier,
// so that an order finds its customer at every scale, and customers have as many orders at XXXS as at XXL.
type tier struct {
	orders                  int64 // the tier has the orders below this index that smaller tiers do not have
	firstAccount, nAccounts int64 // counted over all accounts in order of customers
}

// tiersOf returns the tiers of a dataset of scale s. Tiny has a tier of its own: the first 200 customers of XXXS would
// have 2 % of its orders, and so hardly any of the first 2,000.
func tiersOf(s Scale, p Profile) []tier {
	var tiers []tier
	accounts := int64(0)
	for step := min(s.step, 1); step <= s.step; step++ {
		at := Scale{step: step}
		upTo := accountsBefore(p, at.Count(p, Customer))
		tiers = append(tiers, tier{orders: at.Count(p, Order), firstAccount: accounts, nAccounts: upTo - accounts})
		accounts = upTo
	}
	return tiers
}
