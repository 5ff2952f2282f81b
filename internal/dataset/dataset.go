package dataset

import "fmt"

// Version is the version of the generator. It increases whenever a document changes, and is part of the fingerprint.
const Version = 1

// Spec identifies a dataset.
type Spec struct {
	Scale   Scale
	Profile Profile
	Seed    uint64
}

// ParseSpec returns the specification with the named scale and profile.
func ParseSpec(scale, profile string, seed uint64) (spec Spec, err error) {
	if spec.Scale, err = ParseScale(scale); err != nil {
		return Spec{}, err
	}
	spec.Profile, err = ParseProfile(profile)
	spec.Seed = seed
	return spec, err
}

// Dataset generates the documents of a Spec. It is immutable, and safe for concurrent use.
type Dataset struct {
	spec       Spec
	securities int
	customers  int64
	orders     int64
	increments []increment
	keys       [numPurposes]uint64
	popular    popularity
	names      names
}

// New returns a dataset. It takes a few milliseconds and about a megabyte at any scale, mostly for the names of the
// securities.
func New(spec Spec) *Dataset {
	p, s := spec.Profile, spec.Scale
	if s.step == counted {
		// Numbers that a named scale has in this profile mean that scale, unless it is tiny.
		for _, named := range Scales()[1:] {
			if named.Count(p, Customer) == s.given[Customer] && named.Count(p, Order) == s.given[Order] {
				s = named
				break
			}
		}
	} else {
		s = Scales()[s.step]
	}
	spec.Scale = s
	d := &Dataset{
		spec: spec, securities: int(s.Count(p, Security)), customers: s.Count(p, Customer), orders: s.Count(p, Order),
	}
	if s.step == counted {
		// One increment, since what the numbers add to the next smaller scale may be many orders and few customers.
		d.increments = []increment{{orders: d.orders, nAccounts: accountsBefore(p, d.customers)}}
	} else {
		// Tiny has its own increment: the first 200 customers of XXXS have at most 4 % of its orders, and so hardly any of
		// the first 2,000.
		accounts := int64(0)
		for step := min(s.step, 1); step <= s.step; step++ {
			at := Scale{step: step}
			upTo := accountsBefore(p, at.Count(p, Customer))
			d.increments = append(d.increments, increment{at.Count(p, Order), accounts, upTo - accounts})
			accounts = upTo
		}
	}
	for f := range d.keys {
		d.keys[f] = mix(mix(spec.Seed+golden) + (uint64(p)<<32+uint64(f))*golden)
	}
	d.popular = newPopularity(d.securities)
	w := writer{b: make([]byte, 0, 28*d.securities)}
	d.names.ends = make([]uint32, d.securities)
	for i := range d.names.ends {
		is := d.issue(i)
		w.issueName(&is)
		d.names.ends[i] = uint32(len(w.b))
	}
	d.names.text = w.b
	return d
}

// Counts are numbers of documents.
type Counts struct {
	Securities        int
	Customers, Orders int64
}

// NewOf returns a dataset with other numbers of documents than a scale has, for tests.
func NewOf(seed uint64, counts Counts) *Dataset {
	return New(Spec{Seed: seed, Scale: Scale{
		Name: fmt.Sprintf("%d-%d", counts.Customers, counts.Orders), step: counted,
		given: [...]int64{Security: int64(counts.Securities), Customer: counts.Customers, Order: counts.Orders},
	}})
}

// Spec returns the Spec of the dataset.
func (d *Dataset) Spec() Spec { return d.spec }

// Count returns how many documents of kind k there are.
func (d *Dataset) Count(k Kind) int64 {
	return [...]int64{Security: int64(d.securities), Customer: d.customers, Order: d.orders}[k]
}

// Append appends document i of kind k. The document depends on seed, profile, kind and i only (and on whether the scale
// is tiny; the account of an order also on given numbers), so any part of a dataset can be generated in any order.
// Append panics unless 0 <= i < Count(k).
func (d *Dataset) Append(dst []byte, k Kind, i int64) []byte {
	if i < 0 || i >= d.Count(k) {
		panic(fmt.Sprintf("dataset: no %s %d among %d", k, i, d.Count(k)))
	}
	switch k {
	case Security:
		return d.appendSecurity(dst, int(i))
	case Customer:
		return d.AppendNewCustomer(dst, i, NewCustomer{})
	default:
		return d.AppendNewOrder(dst, i, NewOrder{})
	}
}

// meanSizes holds the measured mean size of a document in bytes, over up to 500,000 documents of scale S; a test keeps
// it within 2 %. Longer ids make an order 0.4 % larger at XXL, which is not worth a formula.
var meanSizes = [...][len(Kinds)]float64{
	TPoX2: {Security: 6180, Customer: 6565, Order: 1503},
	TPoX1: {Security: 6180, Customer: 6000, Order: 1922},
}

// MeanSize returns the mean size of a document of kind k in bytes.
func (d *Dataset) MeanSize(k Kind) float64 { return meanSizes[d.spec.Profile][k] }

// ExpectedBytes returns the expected size of all documents of kind k together.
func (d *Dataset) ExpectedBytes(k Kind) int64 {
	return int64(float64(d.Count(k)) * d.MeanSize(k))
}

// Fingerprint returns everything that the documents of a dataset depend on, and their numbers. Results on datasets with
// different fingerprints must not be compared.
func (d *Dataset) Fingerprint() string {
	return fmt.Sprintf("%s/%s/seed-%d/v%d/%d-%d-%d", d.spec.Profile, d.spec.Scale, d.spec.Seed, Version,
		d.Count(Security), d.Count(Customer), d.Count(Order))
}

// The first ids. Clients may rely on them.
const (
	firstCustomer = 1002
	firstOrder    = 103282
	firstAccount  = 104_000_000
)

// ID returns the id in document i of kind k. Like all functions on ids it also works beyond the end of the dataset,
// where the ids of new documents come from.
func (*Dataset) ID(k Kind, i int64) int64 {
	return [...]int64{Security: 1, Customer: firstCustomer, Order: firstOrder}[k] + i
}

// Accounts returns how many accounts customer k has.
func (d *Dataset) Accounts(k int64) int {
	return int(accountsBefore(d.spec.Profile, k+1) - accountsBefore(d.spec.Profile, k))
}

// FirstAccount returns the id of the first account of customer k. The ids of the others follow without a gap.
func (d *Dataset) FirstAccount(k int64) int64 {
	if d.spec.Profile == TPoX1 {
		return firstAccount + 7*k
	}
	return firstAccount + accountsBefore(TPoX2, k)
}

// TotalAccounts returns how many accounts all customers together have.
func (d *Dataset) TotalAccounts() int64 { return accountsBefore(d.spec.Profile, d.customers) }

// AccountAt returns the id of the n-th account, from 0, counted over all customers in order.
func (d *Dataset) AccountAt(n int64) int64 {
	if d.spec.Profile == TPoX2 {
		return firstAccount + n // dense
	}
	// Each pair of customers has three accounts: the even customer one, the odd customer two.
	pair, r := n/3, n%3
	if r == 0 {
		return firstAccount + 7*(2*pair)
	}
	return firstAccount + 7*(2*pair+1) + r - 1
}

// accountsBefore counts the accounts of the customers 0 to k-1.
func accountsBefore(p Profile, k int64) int64 {
	if p == TPoX1 {
		return 3*(k/2) + k%2
	}
	return 6*(k/3) + [...]int64{0, 1, 3}[k%3]
}

// Template is a document with gaps, for clients that make documents to insert without this package: Parts is literal,
// slot, literal, slot, and so on up to the last literal. Even elements are XML, odd ones name the value that belongs
// there, which needs no escaping:
//
//	order     the order's id
//	account   an account id; account2 and account3 are further accounts of a customer
//	customer  the customer's id
//	symbol    a ticker symbol
//	date      the trade date, as 2010-06-30
//	datetime  the time of a transaction or of the last update, as 2010-06-30T09:41:00
//
// A template leaves at most about a hundred bytes open. Inserts from too few templates fill a database with copies,
// which compress better than real data: use a thousand.
type Template struct {
	Kind  string   `json:"kind"`
	Parts []string `json:"parts"`
}

// Templates returns n templates of a kind (order, customer or account), or nil for any other kind. They are generated
// like documents from beyond the end of the dataset, so that they repeat nothing that is stored. In tpox-2, customers
// have one, two and three accounts in turn; in tpox-1, one and two.
func (d *Dataset) Templates(kind string, n int) []Template {
	var templates []Template
	var doc []byte
	var slots []slot
	for j := range int64(n) {
		doc, slots = doc[:0], slots[:0]
		switch kind {
		case "order":
			doc = d.AppendNewOrder(doc, d.orders+j, NewOrder{slots: &slots})
		case "customer":
			doc = d.AppendNewCustomer(doc, d.customers+j, NewCustomer{slots: &slots})
		case "account":
			doc = d.AppendNewAccount(doc, d.customers+j, NewAccount{slots: &slots})
		default:
			return nil
		}
		made, at := Template{Kind: kind, Parts: make([]string, 0, 2*len(slots)+1)}, 0
		for _, s := range slots {
			made.Parts = append(made.Parts, string(doc[at:s.start]), s.name)
			at = s.end
		}
		made.Parts = append(made.Parts, string(doc[at:]))
		templates = append(templates, made)
	}
	return templates
}
