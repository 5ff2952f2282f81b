package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"brokerage/internal/access"
	"brokerage/internal/tpox"
)

var _ = transaction(&operation{
	name: "search_securities", method: http.MethodGet, path: "/v1/securities", scope: access.Read,
	links:  describedBy("security-messages.xsd"),
	handle: (*request).searchSecurities,
})

func (q *request) searchSecurities() error {
	search, err := q.search()
	if err != nil {
		return err
	}
	ctx, err := q.fresh()
	if err != nil {
		return err
	}
	limit := search.Limit
	if limit > 0 {
		search.Limit++ // shows whether there is another page
	}
	body, err := q.store.SearchSecurities(ctx, search)
	if err != nil {
		return err
	}
	if limit > 0 {
		var last string
		if body, last, err = tpox.Page(body, limit); err != nil {
			return err
		}
		if last != "" { // there is another page
			next := url.Values{"cursor": {cursorOf(search, last)}}
			for _, name := range searchParameters {
				next.Set(name, q.query.Get(name))
			}
			q.related = "</v1/securities?" + next.Encode() + `>; rel="next"`
		}
	}
	return q.answer(body)
}

// searchParameters are the parameters of a search that all of its pages share.
var searchParameters = [...]string{"sector", "peMin", "peMax", "yieldMin", "limit"}

// search returns the parameters of the search. It first checks that the client accepts XML.
func (q *request) search() (s tpox.Search, err error) {
	if err := q.accepts(); err != nil {
		return s, err
	}
	if s.Sector, err = q.required("sector"); err != nil {
		return s, err
	}
	bounds := [...]*int64{&s.PEMin, &s.PEMax, &s.YieldMin}
	for i, name := range [...]string{"peMin", "peMax", "yieldMin"} {
		text, err := q.required(name)
		if err != nil {
			return s, err
		}
		var ok bool
		if *bounds[i], ok = tpox.Scaled(text); !ok {
			return s, badRequest("the parameter %s is not %s", name, tpox.ScaledForm)
		}
	}

	limit, limited, err := q.parameter("limit")
	if err != nil {
		return s, err
	}
	if limited {
		if s.Limit, err = strconv.Atoi(limit); err != nil || s.Limit < 1 || s.Limit > tpox.MaxHits {
			return s, badRequest("the parameter limit is not a number from 1 to %d", tpox.MaxHits)
		}
	}
	cursor, given, err := q.parameter("cursor")
	switch {
	case err != nil || !given:
		return s, err
	case !limited:
		return s, badRequest("the parameter cursor needs the parameter limit")
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) <= cursorSum {
		return s, errCursor
	}
	s.After = string(raw[cursorSum:])
	if !tpox.IsSymbol(s.After) || !isText(s.After) || cursorOf(s, s.After) != cursor {
		return s, errCursor
	}
	return s, nil
}

// cursorSum is the number of bytes of a cursor before its symbol: a checksum, so that a cursor of another search is
// refused instead of answered with hits that were not asked for.
const cursorSum = 6

// cursorOf returns the cursor of the hits after a symbol.
func cursorOf(s tpox.Search, symbol string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %d %q", s.Sector, s.PEMin, s.PEMax, s.YieldMin, symbol))
	return base64.RawURLEncoding.EncodeToString(append(sum[:cursorSum], symbol...))
}
