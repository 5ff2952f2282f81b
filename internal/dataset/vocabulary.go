package dataset

import (
	"embed"
	"strconv"
	"strings"
)

//go:embed vocabulary
var vocabularyFiles embed.FS

// vocabulary returns the text of a file with words or sentences of documents.
func vocabulary(name string) string {
	return string(must(vocabularyFiles.ReadFile("vocabulary/" + name + ".txt")))
}

// must panics for an error in the vocabulary, which is part of the program.
func must[T any](v T, err error) T {
	if err != nil {
		panic("dataset: " + err.Error())
	}
	return v
}

// record holds lines "key: value" of a file of the vocabulary, up to an empty line.
type record map[string]string

// readRecords reads a text of records. Lines that begin with // are comments.
func readRecords(text string) []record {
	var records []record
	for block := range strings.SplitSeq(text, "\n\n") {
		r := record{}
		for line := range strings.Lines(block) {
			if key, value, found := strings.Cut(strings.TrimSpace(line), ": "); found && !strings.HasPrefix(line, "//") {
				r[key] = value
			}
		}
		if len(r) > 0 {
			records = append(records, r)
		}
	}
	return records
}

// text returns the value of a key, and panics when the record has none.
func (r record) text(key string) string {
	value, found := r[key]
	if !found {
		panic("dataset: the vocabulary has no " + key)
	}
	return value
}

// list returns the parts of a value, which commas separate.
func (r record) list(key string) []string { return strings.Split(r.text(key), ", ") }

// words returns the parts of a value as names in their three spellings.
func (r record) words(key string) (all []word) {
	for _, native := range r.list(key) {
		all = append(all, newWord(native))
	}
	return all
}

// lists are the vocabularies that depend neither on a country nor on a sector.
var lists = readRecords(vocabulary("words"))[0]

// word is a name in its three spellings.
type word struct {
	native string // as people write it: Łódź
	ascii  string // as most systems of the time kept it: Lodz
	plain  string // letters only, for e-mail addresses, logins and mnemonics
}

// in returns the native or the ASCII spelling; a customer's names and addresses have the same one.
func (w *word) in(native bool) string { return either(native, w.native, w.ascii) }

// folding replaces the letters beyond US-ASCII of the vocabularies. The first of each group replaces the others.
var folding = func() *strings.Replacer {
	pairs := []string{"ß", "ss"}
	for group := range strings.FieldsSeq("AÁÀÄÅĄ aáàâãäåą CÇ cçć EÉ eéèêëę gğ IÍİ iíìîïı LŁ lł nńñ OÓÖØŌ oóòôõöøōő " +
		"SŚŞ sśş UÚÜ uúùüūű ZŻ zźż") {
		for _, letter := range group[1:] {
			pairs = append(pairs, string(letter), group[:1])
		}
	}
	return strings.NewReplacer(pairs...)
}()

func newWord(native string) word {
	ascii := folding.Replace(native)
	return word{native: native, ascii: ascii, plain: strings.Map(func(r rune) rune {
		if r < 128 && isLetter(byte(r)) {
			return r
		}
		return -1
	}, ascii)}
}

// country holds the parts of a customer's data that must agree with each other: names, addresses and telephone numbers
// of one country. In all patterns but street, # is a digit and @ a capital letter, see gen.patternElem.
type country struct {
	name, nationality string
	currency          string
	dial              string
	area, local       string // patterns of telephone numbers
	tld               string
	languages         []string // the first is spoken by everybody
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

// countries are all countries; residence draws one in proportion to the customers who live there.
var countries, residence = func() (all []country, shares *codes) {
	var weights []int
	for _, r := range readRecords(vocabulary("countries")) {
		f := r.list("country")
		weights = append(weights, must(strconv.Atoi(f[2])))
		c := country{
			name: f[0], nationality: f[1], currency: f[3], dial: f[4], area: f[5], local: f[6], tld: f[7],
			languages: r.list("languages"), male: r.words("male"), female: r.words("female"), last: r.words("last"),
			streets: r.words("streets"), street: r.text("street"),
		}
		for _, entry := range r.list("cities") {
			f := strings.Split(entry, "/")
			c.cities = append(c.cities, city{name: newWord(f[0]), region: newWord(f[1]), postal: f[2]})
		}
		all = append(all, c)
	}
	return all, newWeights(weights...)
}()

// sector is a line of business of security.xsd, with the words that describe its companies.
type sector struct {
	name       string
	industries []string // of security.xsd
	trades     []string // in names of companies
	products   []string // in the plural
	customers  []string // in the plural
	inputs     []string // goods whose prices the company's costs depend on
}

// sectors are all sectors; sectorShare draws one in proportion to the securities that belong to it.
var sectors, sectorShare = func() (all []sector, shares *codes) {
	var weights []int
	for _, r := range readRecords(vocabulary("sectors")) {
		name := r.list("sector")
		weights = append(weights, must(strconv.Atoi(name[1])))
		all = append(all, sector{
			name: name[0], industries: r.list("industries"), trades: r.list("trades"),
			products: r.list("products"), customers: r.list("customers"), inputs: r.list("inputs"),
		})
	}
	return all, newWeights(weights...)
}()

// Sectors returns the names of all sectors, in alphabetical order.
func Sectors() (names []string) {
	for i := range sectors {
		names = append(names, sectors[i].name)
	}
	return names
}
