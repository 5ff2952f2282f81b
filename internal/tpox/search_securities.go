package tpox

import (
	"strconv"

	"brokerage/internal/xmldoc"
)

// Search is the predicate of search_securities: the sector, PEMin <= PE < PEMax and Yield > YieldMin, in the unit of
// Scaled.
type Search struct {
	Sector                 string
	PEMin, PEMax, YieldMin int64
	// Limit bounds the number of hits in the answer, up to MaxHits+1; 0 means all of them.
	Limit int
	// After is the symbol that the hits come after; it is used only with a Limit. Empty: from the first.
	After string
}

// MaxHits is the greatest limit of a search that clients may set. The service asks a store for one more, to
// learn whether there are further hits.
const MaxHits = 1000

var (
	hits      = path("s:Securities/s:Security")
	hitSymbol = path("s:Symbol")
)

// Page reduces the answer of a search to its first limit hits. If there are more, last is the symbol of the last one
// that remains; otherwise it is empty.
func Page(answer []byte, limit int) (page []byte, last string, err error) {
	if page, err = Normal(answer); err != nil {
		return nil, "", err
	}
	e := xmldoc.Edit(page)
	count := 0
	for hit := range hits.All(xmldoc.Document(page)) {
		if count++; count == limit {
			last = text(hitSymbol.Find(hit))
		} else if count > limit {
			e.Delete(hit)
		}
	}
	if count <= limit {
		return page, "", nil
	}
	e.SetAttr(xmldoc.Root(page), "count", strconv.Itoa(limit))
	page, err = e.Apply(nil)
	return page, last, err
}

// AppendHit appends the element of one hit to those that SearchAnswer encloses. Hits must come in order of symbols.
func AppendHit(dst []byte, hit SecurityKeys) []byte {
	dst = fields(append(dst, "<Security>"...), field{"Symbol", hit.Symbol}, field{"Name", hit.Name},
		field{"SecurityType", hit.Type}, field{"Sector", hit.Sector}, field{"PE", hit.PE}, field{"Yield", hit.Yield})
	return append(dst, "</Security>"...)
}

// SearchAnswer constructs the answer of search_securities from hits, the result of count calls of AppendHit.
func SearchAnswer(count int, hits []byte) []byte {
	dst := xmldoc.AppendStart(make([]byte, 0, 96+len(hits)), "Securities",
		"xmlns", SecurityNS, "count", strconv.Itoa(count))
	return append(append(dst, hits...), "</Securities>"...)
}
