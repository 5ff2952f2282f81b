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

// Counts are numbers of documents.
type Counts struct {
	Securities        int
	Customers, Orders int64
}

// Dataset generates the documents of a Spec. It is immutable, and safe for concurrent use.
type Dataset struct {
	spec       Spec
	securities int
	customers  int64
	orders     int64
	tiers      []tier
	keys       [numPurposes]uint64
	popular    popularity
	names      names
}

// New returns a dataset. It takes a few milliseconds and about a megabyte at any scale, for the names of the
// securities.
func New(spec Spec) *Dataset {
	spec.Scale = spec.Scale.of(spec.Profile)
	return prepare(spec, tiersOf(spec.Scale, spec.Profile), Counts{
		Securities: int(spec.Scale.Count(spec.Profile, Security)),
		Customers:  spec.Scale.Count(spec.Profile, Customer),
		Orders:     spec.Scale.Count(spec.Profile, Order),
	})
}

// NewOf returns a dataset of the scale tiny with other numbers of documents, for slow tests.
func NewOf(seed uint64, counts Counts) *Dataset {
	spec := Spec{Seed: seed, Scale: Scales()[0]}
	return prepare(spec, []tier{{orders: counts.Orders, nAccounts: accountsBefore(spec.Profile, counts.Customers)}},
		counts)
}

func prepare(spec Spec, tiers []tier, counts Counts) *Dataset {
	d := &Dataset{
		spec:       spec,
		securities: counts.Securities,
		customers:  counts.Customers,
		orders:     counts.Orders,
		tiers:      tiers,
	}
	for f := range d.keys {
		d.keys[f] = streamKey(spec.Seed, spec.Profile, purpose(f))
	}
	d.popular = newPopularity(d.securities)
	d.names = d.newNames()
	return d
}

// Spec returns the Spec of the dataset.
func (d *Dataset) Spec() Spec { return d.spec }

// Count returns how many documents of kind k there are.
func (d *Dataset) Count(k Kind) int64 {
	return [...]int64{Security: int64(d.securities), Customer: d.customers, Order: d.orders}[k]
}

// Append appends document i of kind k. The document depends on seed, profile, kind and i only (and on whether the scale
// is tiny; the account of an order also on given numbers), so any part of a dataset can be generated in any
// order. Append panics when i is not below Count(k).
func (d *Dataset) Append(dst []byte, k Kind, i int64) []byte {
	if i < 0 || i >= d.Count(k) {
		panic(fmt.Sprintf("dataset: no %s %d among %d", k, i, d.Count(k)))
	}
	switch k {
	case Security:
		return d.appendSecurity(dst, int(i), nil)
	case Customer:
		return d.appendCustomer(dst, i, NewCustomer{}, nil)
	default:
		return d.appendOrder(dst, i, NewOrder{}, nil)
	}
}

// meanSizes holds the measured mean size of a document in bytes, over 500,000 documents of scale S; a test keeps it
// within 2 %. Longer ids make an order half a per cent larger at XXL, which is not worth a formula.
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
