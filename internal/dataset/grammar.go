package dataset

import (
	"slices"
	"strings"
)

// A grammar is a list of sentences in a small notation. [a|b] is one of the two, [|a] is a or nothing, and brackets
// nest; {name} is the blank of that name. Other text is literal but for synonyms (see thesaurus); its markup shows
// where the keywords of a description are, with the white space that people leave around them.
type grammar []sequence

type sequence []part

// part is alternatives, a blank, or text.
type part struct {
	alternatives []sequence
	blank        blank
	text         string
}

// blank is a place in a sentence that securityGen.fill fills: a position in blankNames, noBlank for none.
type blank uint8

const noBlank blank = 0

// blankNames has, after "no" for noBlank, first the blanks whose fillings a description repeats (see cast), in the
// order of castSizes.
var blankNames = strings.Fields("no product customers input brand rival person city country region index rating " +
	"asset quality month date Co co root name sector chief year recent pct usd few some many family verbing")

func blankOf(name string) blank { return blank(max(0, slices.Index(blankNames, name))) }

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
			b := blankOf(name)
			if !found || b == noBlank {
				panic("dataset: no blank {" + name + "}")
			}
			s = append(s, part{blank: b})
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

// thesaurus lists words with synonyms that can replace them wherever the sentences have them in lower case; the reverse
// need not hold. The grammars have fewer than 200 sentences for thousands of descriptions: without synonyms, a page or
// a dictionary with a few descriptions would contain the phrases of all others, and stored data would compress far
// better than real prose. The file has a word and its synonyms per line, with _ for a space.
var thesaurus = func() map[string][]sequence {
	t := map[string][]sequence{}
	for line := range strings.Lines(vocabulary("thesaurus")) {
		words := strings.Fields(line)
		for _, word := range words {
			t[words[0]] = append(t[words[0]], sequence{{text: strings.ReplaceAll(word, "_", " ")}})
		}
	}
	return t
}()

// withSynonyms splits a text at the words that have synonyms. It ignores markup, compounds, and words after "a" or
// "an", because the article might not suit a synonym.
func withSynonyms(text string) (s sequence) {
	from := 0
	for at := 0; at < len(text); at++ {
		if text[at] == '<' {
			at += max(0, strings.IndexByte(text[at:], '>'))
			continue
		}
		end := at
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		before, after := " "+strings.ToLower(text[:at]), text[end:]
		keep := strings.HasSuffix(before, " a ") || strings.HasSuffix(before, " an ") ||
			strings.HasSuffix(before, "-") || strings.HasPrefix(after, "-")
		if group := thesaurus[text[at:end]]; group != nil && !keep {
			if from < at {
				s = append(s, part{text: text[from:at]})
			}
			s = append(s, part{alternatives: group})
			from = end
		}
		at = max(at, end-1)
	}
	if from < len(text) {
		s = append(s, part{text: text[from:]})
	}
	return s
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
