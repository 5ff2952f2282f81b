package dataset

import (
	_ "embed"
	"strconv"
	"strings"
)

// The words and sentences of documents. They are strings of the program, which the garbage collector need not mark.
var (
	//go:embed vocabulary/words.txt
	wordsText string
	//go:embed vocabulary/countries.txt
	countriesText string
	//go:embed vocabulary/sectors.txt
	sectorsText string
	//go:embed vocabulary/thesaurus.txt
	thesaurusText string
	//go:embed vocabulary/company_openings.txt
	companyOpeningsText string
	//go:embed vocabulary/bond_openings.txt
	bondOpeningsText string
	//go:embed vocabulary/company_sentences.txt
	companySentencesText string
	//go:embed vocabulary/fund_openings.txt
	fundOpeningsText string
	//go:embed vocabulary/fund_sentences.txt
	fundSentencesText string
	//go:embed vocabulary/manager_openings.txt
	managerOpeningsText string
	//go:embed vocabulary/manager_sentences.txt
	managerSentencesText string
)

// record is lines "key: value" of a file of the vocabulary, up to an empty line.
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
func (r record) words(key string) []word {
	list := r.list(key)
	all := make([]word, len(list))
	for i, native := range list {
		all[i] = newWord(native)
	}
	return all
}

// lists are the vocabularies that depend neither on a country nor on a sector.
var lists = readRecords(wordsText)[0]

// mustInt reads a number of the vocabulary.
func mustInt(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("dataset: " + err.Error())
	}
	return n
}

// What is said of companies and funds. A word for the kind of securities that a fund holds has to do for funds of
// stocks, bonds and both.
var (
	companyOpenings  = newGrammar(companyOpeningsText)
	bondOpenings     = newGrammar(bondOpeningsText)
	companySentences = newGrammar(companySentencesText)
	fundOpenings     = newGrammar(fundOpeningsText)
	fundSentences    = newGrammar(fundSentencesText)
	managerOpenings  = newGrammar(managerOpeningsText)
	managerSentences = newGrammar(managerSentencesText)
)
