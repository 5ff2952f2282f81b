package dataset

import "strings"

// word is a name in its three spellings.
type word struct {
	native string // as people write it: Łódź
	ascii  string // as most systems of the time kept it: Lodz
	plain  string // letters only, for e-mail addresses, logins and mnemonics
}

// in returns the spelling that a document uses throughout.
func (w *word) in(native bool) string {
	if native {
		return w.native
	}
	return w.ascii
}

// folding lists the letters beyond US-ASCII of the vocabularies.
var folding = strings.NewReplacer(
	"Á", "A", "À", "A", "Ä", "A", "Å", "A", "Ą", "A", "á", "a", "à", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ą", "a",
	"Ç", "C", "ç", "c", "ć", "c", "É", "E", "é", "e", "è", "e", "ê", "e", "ë", "e", "ę", "e", "ğ", "g",
	"Í", "I", "İ", "I", "í", "i", "ì", "i", "î", "i", "ï", "i", "ı", "i", "Ł", "L", "ł", "l", "ń", "n", "ñ", "n",
	"Ó", "O", "Ö", "O", "Ø", "O", "Ō", "O", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ö", "o", "ø", "o", "ō", "o", "ő", "o",
	"Ś", "S", "Ş", "S", "ś", "s", "ş", "s", "ß", "ss", "Ú", "U", "Ü", "U", "ú", "u", "ù", "u", "ü", "u", "ū", "u", "ű", "u",
	"Ż", "Z", "ź", "z", "ż", "z",
)

func newWord(native string) word {
	w := word{native: native, ascii: folding.Replace(native)}
	w.plain = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, w.ascii)
	return w
}

// listOf splits a list at its commas.
func listOf(s string) []string { return strings.Split(s, ", ") }

func words(s string) []word {
	list := listOf(s)
	ws := make([]word, len(list))
	for i, native := range list {
		ws[i] = newWord(native)
	}
	return ws
}

// cities reads a list of name/region/pattern of the postal code.
func cities(s string) []city {
	list := listOf(s)
	cs := make([]city, len(list))
	for i, entry := range list {
		f := strings.Split(entry, "/")
		cs[i] = city{name: newWord(f[0]), region: newWord(f[1]), postal: f[2]}
	}
	return cs
}
