package dataset

import "strings"

// country has what the data of a customer must agree in: names, addresses and telephone numbers of a country. In
// patterns # is a digit and @ a capital letter, see gen.pattern.
type country struct {
	name, nationality string
	share             int // weight among residents
	currency          string
	dial              string
	area, local       string // patterns of telephone numbers
	tld               string
	languages         []string // the first is everybody's
	male, female      []word
	last              []word
	cities            []city
	streets           []word
	street            string // pattern of an address: * is one of streets, # its number
}

type city struct {
	name, region word
	postal       string // pattern
}

var countries = func() []country {
	var all []country
	for _, r := range readRecords(countriesText) {
		f := r.list("country")
		c := country{
			name: f[0], nationality: f[1], share: mustInt(f[2]), currency: f[3], dial: f[4], area: f[5], local: f[6], tld: f[7],
			languages: r.list("languages"), male: r.words("male"), female: r.words("female"), last: r.words("last"),
			streets: r.words("streets"), street: r.text("street"),
		}
		list := r.list("cities")
		c.cities = make([]city, len(list))
		for i, entry := range list {
			f := strings.Split(entry, "/")
			c.cities[i] = city{name: newWord(f[0]), region: newWord(f[1]), postal: f[2]}
		}
		all = append(all, c)
	}
	return all
}()
