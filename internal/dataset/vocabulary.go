package dataset

import (
	"embed"
	"strconv"
	"strings"
)

// vocabulary holds the words and sentences of documents, a file for each list.
//
//go:embed vocabulary
var vocabulary embed.FS

// vocabularyText returns a file of the vocabulary. It panics when there is none: the files are part of the program.
func vocabularyText(name string) string {
	text, err := vocabulary.ReadFile("vocabulary/" + name + ".txt")
	if err != nil {
		panic("dataset: " + err.Error())
	}
	return string(text)
}

// record is lines "key: value" of a file of the vocabulary, up to an empty line.
type record map[string]string

// readRecords reads a file of records. Lines that begin with // are comments.
func readRecords(name string) []record {
	var records []record
	for block := range strings.SplitSeq(vocabularyText(name), "\n\n") {
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
	var all []word
	for _, native := range r.list(key) {
		all = append(all, newWord(native))
	}
	return all
}

// lists are the vocabularies that depend neither on a country nor on a sector.
var lists = readRecords("words")[0]

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
	companyOpenings  = newGrammar(vocabularyText("company_openings"))
	bondOpenings     = newGrammar(vocabularyText("bond_openings"))
	companySentences = newGrammar(vocabularyText("company_sentences"))
	fundOpenings     = newGrammar(vocabularyText("fund_openings"))
	fundSentences    = newGrammar(vocabularyText("fund_sentences"))
	managerOpenings  = newGrammar(vocabularyText("manager_openings"))
	managerSentences = newGrammar(vocabularyText("manager_sentences"))
)
