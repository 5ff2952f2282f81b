package dataset

import "strings"

// thesaurus lists words with others that can stand for them wherever the sentences have them in small letters; that
// needs not hold the other way round. A grammar has a few hundred sentences for thousands of descriptions: without
// this, a page or a dictionary that holds a few descriptions would hold the phrases of all others, and what is stored
// would compress far better than prose does.
var thesaurus = readThesaurus(`
accepted approved
acquired bought purchased
additional further extra
adverse harmful negative
adviser investment_adviser management_company
alleges asserts
announced disclosed made_public
annually yearly every_year
available obtainable accessible
because as since
believes thinks reckons
biggest largest
bought acquired purchased
changes shifts movements fluctuations
chiefly mainly largely primarily principally
clients customers buyers
companies firms enterprises corporations
competitors rivals
comprises includes encompasses
conduct pursuit
considerable substantial sizable
contracts agreements arrangements
contributed accounted_for
costs expenses outlays
countries nations
covering spanning
customers clients buyers purchasers
declines losses setbacks
depends relies
developed devised designed
develops creates
difficulties problems delays
earnings profits
effect impact influence
employees workers people staff_members
equipment machinery
essential vital
exclusively solely
existing present current
expected anticipated projected
expenses costs outlays
expiring ending terminating
facilities premises installations sites
fees charges
frequently often
generally usually normally typically
goal objective aim
growth expansion
headquarters head_offices main_offices
important significant essential
including notably among_them
intends plans aims proposes
largely mainly chiefly primarily principally
largest biggest most_important
limited restricted
mainly chiefly largely primarily principally
maintains keeps
managers portfolio_managers
mostly mainly largely
nature character
normally usually generally
objective goal aim
opened inaugurated
operations activities
outlets branches shops
personnel staff
plans intends aims proposes
possible conceivable
primarily chiefly largely mainly principally
principal main foremost
products goods articles items
provides offers furnishes
purchased acquired bought
reduce lower diminish
reduces lowers diminishes
regularly periodically frequently
regulations rules laws
reliable dependable meaningful
requirements needs demands
retailers merchants stores
revenue turnover
risks hazards dangers uncertainties
securities instruments investments
several various numerous
shareholders stockholders owners
significant serious notable
stable steady
substantial considerable sizable
substantially considerably significantly
suitable appropriate fitting
suppliers vendors providers
technical technological engineering
usual ordinary customary
usually normally generally
weak soft
whereas while
`)

// readThesaurus reads a word and its synonyms a line; an underscore is a blank.
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

// withSynonyms splits a text at the words that others can stand for. It leaves markup alone, and what follows an
// article that another word might not suit.
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
