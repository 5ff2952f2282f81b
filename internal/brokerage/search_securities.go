package brokerage

import "strconv"

// Search is the predicate of search_securities: the sector, PEMin <= PE < PEMax and Yield > YieldMin, in the unit of
// Scaled.
type Search struct {
	Sector                 string
	PEMin, PEMax, YieldMin int64
}

// AppendHit appends the element of one hit to those that SearchAnswer encloses. Hits must come in order of symbols.
func AppendHit(dst []byte, hit SecurityKeys) []byte {
	dst = fields(open(dst, "Security"), field{"Symbol", hit.Symbol}, field{"Name", hit.Name},
		field{"SecurityType", hit.Type}, field{"Sector", hit.Sector}, field{"PE", hit.PE}, field{"Yield", hit.Yield})
	return closed(dst, "Security")
}

// SearchAnswer constructs the answer of search_securities from count hits by AppendHit.
func SearchAnswer(count int, hits []byte) []byte {
	dst := root(make([]byte, 0, 96+len(hits)), "Securities", SecurityNS)
	dst = append(attribute(dst, "count", strconv.Itoa(count)), '>')
	return append(append(dst, hits...), "</Securities>"...)
}
