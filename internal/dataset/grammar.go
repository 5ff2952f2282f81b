package dataset

import (
	"slices"
	"strings"
)

// A grammar is a list of sentences in a small notation. [a|b] is one of the two, [|a] is a or nothing, and they nest;
// {name} is something that a blank of that name fills. Everything else stands for itself, markup included: so the
// keywords of a description are where the sentence has them, with the white space that people leave around them.
type grammar []sequence

type sequence []part

// part is alternatives, a blank, or text.
type part struct {
	alternatives []sequence
	blank        blank
	text         string
}

// blank is a place in a sentence that prose.fill fills.
type blank uint8

const (
	noBlank blank = iota
	blankCo
	blankco
	blankRoot
	blankName
	blankProduct
	blankCustomers
	blankInput
	blankSector
	blankBrand
	blankRival
	blankPerson
	blankChief
	blankYear
	blankRecent
	blankMonth
	blankDate
	blankPercent
	blankMoney
	blankFew
	blankSome
	blankMany
	blankCity
	blankCountry
	blankRegion
	blankQuality
	blankIndex
	blankFamily
	blankRating
	blankVerbing
	blankAsset
	numBlanks
)

var blankNames = [numBlanks]string{
	blankCo: "Co", blankco: "co", blankRoot: "root", blankName: "name", blankProduct: "product",
	blankCustomers: "customers", blankInput: "input", blankSector: "sector", blankBrand: "brand",
	blankRival: "rival", blankPerson: "person", blankChief: "chief", blankYear: "year",
	blankRecent: "recent", blankMonth: "month", blankDate: "date", blankPercent: "pct",
	blankMoney: "usd", blankFew: "few", blankSome: "some", blankMany: "many", blankCity: "city",
	blankCountry: "country", blankRegion: "region", blankQuality: "quality", blankIndex: "index",
	blankFamily: "family", blankRating: "rating", blankVerbing: "verbing", blankAsset: "asset",
}

// newGrammar reads one sentence per line. It panics on errors, since the sentences are part of the program.
func newGrammar(lines string) grammar {
	var g grammar
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			s, rest := parseSequence(line)
			if rest != "" {
				panic("dataset: stray | or ] in " + line)
			}
			g = append(g, s)
		}
	}
	return g
}

// parseSequence reads parts up to a | or ] of its own level.
func parseSequence(in string) (s sequence, rest string) {
	for in != "" && in[0] != '|' && in[0] != ']' {
		switch in[0] {
		case '{':
			name, after, found := strings.Cut(in[1:], "}")
			at := slices.Index(blankNames[:], name)
			if !found || at <= 0 {
				panic("dataset: no blank {" + name + "}")
			}
			s = append(s, part{blank: blank(at)})
			in = after
		case '[':
			var p part
			for in[0] != ']' {
				var alternative sequence
				alternative, in = parseSequence(in[1:])
				if in == "" {
					panic("dataset: unbalanced [")
				}
				p.alternatives = append(p.alternatives, alternative)
			}
			s = append(s, p)
			in = in[1:]
		default:
			n := strings.IndexAny(in, "[{|]")
			if n < 0 {
				n = len(in)
			}
			s = append(s, withSynonyms(in[:n])...)
			in = in[n:]
		}
	}
	return s, in
}
