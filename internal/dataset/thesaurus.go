package dataset

import "strings"

// thesaurus lists words with synonyms that can replace them where the sentences have them in small letters; the reverse
// need not hold. A grammar has a few hundred sentences for thousands of descriptions: without synonyms, a page or a
// dictionary with a few descriptions would contain the phrases of all others, and stored data would compress far better
// than real prose.
var thesaurus = readThesaurus(thesaurusText)

// readThesaurus reads a word and its synonyms per line; an underscore is a blank.
func readThesaurus(lines string) map[string][]sequence {
	t := map[string][]sequence{}
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		for _, word := range words {
			t[words[0]] = append(t[words[0]], sequence{{text: strings.ReplaceAll(word, "_", " ")}})
		}
	}
	return t
}

// withSynonyms splits a text at the words that have synonyms. It ignores markup, and words after an article that a
// synonym might not suit.
func withSynonyms(text string) (s sequence) {
	from, inTag := 0, false
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '<' || c == '>':
			inTag = c == '<'
			at++
		case inTag || c < 'a' || c > 'z' || at > 0 && isLetter(text[at-1]):
			at++
		default:
			end := at
			for end < len(text) && isLetter(text[end]) {
				end++
			}
			group := thesaurus[text[at:end]]
			before := strings.ToLower(" " + text[:at])
			if group != nil && !strings.HasSuffix(before, " a ") && !strings.HasSuffix(before, " an ") &&
				!strings.HasSuffix(before, "-") && !strings.HasPrefix(text[end:], "-") {
				if from < at {
					s = append(s, part{text: text[from:at]})
				}
				s = append(s, part{alternatives: group})
				from = end
			}
			at = end
		}
	}
	if from < len(text) {
		s = append(s, part{text: text[from:]})
	}
	return s
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
