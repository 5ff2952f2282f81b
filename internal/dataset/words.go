package dataset

import "strings"

// word is a name in its three spellings.
type word struct {
	native string // as people write it: Łódź
	ascii  string // as most systems of the time kept it: Lodz
	plain  string // letters only, for e-mail addresses, logins and mnemonics
}

// in returns the native or the ASCII spelling; a document uses the same one throughout.
func (w *word) in(native bool) string {
	if native {
		return w.native
	}
	return w.ascii
}

// folding replaces the letters beyond US-ASCII of the vocabularies. The first of each group replaces the others.
var folding = func() *strings.Replacer {
	pairs := []string{"ß", "ss"}
	for group := range strings.FieldsSeq("AÁÀÄÅĄ aáàâãäåą CÇ cçć EÉ eéèêëę gğ IÍİ iíìîïı LŁ lł nńñ OÓÖØŌ oóòôõöøōő SŚŞ " +
		"sśş UÚÜ " +
		"uúùüūű ZŻ zźż") {
		for _, letter := range group[1:] {
			pairs = append(pairs, string(letter), group[:1])
		}
	}
	return strings.NewReplacer(pairs...)
}()

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
