package dataset

// sector is a line of business of security.xsd, with the words that describe its companies.
type sector struct {
	name       string
	share      int      // weight among securities
	industries []string // of security.xsd
	trades     []string // in names of companies
	products   []string // in the plural
	customers  []string // in the plural
	inputs     []string // what costs depend on
}

// Sectors returns the names of all sectors, in alphabetical order.
func Sectors() []string {
	names := make([]string, len(sectors))
	for i := range sectors {
		names[i] = sectors[i].name
	}
	return names
}

var sectors = func() []sector {
	var all []sector
	for _, r := range readRecords(sectorsText) {
		name := r.list("sector")
		all = append(all, sector{
			name: name[0], share: mustInt(name[1]), industries: r.list("industries"), trades: r.list("trades"),
			products: r.list("products"), customers: r.list("customers"), inputs: r.list("inputs"),
		})
	}
	return all
}()

// sectorShare draws a sector as often as securities belong to it.
var sectorShare = sharesOf(sectors, func(s sector) int { return s.share })

// sharesOf makes a list of weights, for positions in a vocabulary.
func sharesOf[T any](list []T, share func(T) int) *codes {
	shares := make([]int, len(list))
	for i := range list {
		shares[i] = share(list[i])
	}
	return newWeights(shares...)
}
