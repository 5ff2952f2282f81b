package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var searchSecurities = &operation{
	name: "search_securities", method: http.MethodGet, path: "/v1/securities", scope: access.Read,
	links:  describedBy("security-messages.xsd"),
	handle: query((*request).search, brokerage.Store.SearchSecurities, (*request).answer),
}

// search returns the parameters of the search. It first checks that the client accepts XML.
func (q *request) search() (s brokerage.Search, err error) {
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
		if *bounds[i], ok = brokerage.Scaled(text); !ok {
			return s, badRequest("the parameter %s is not %s", name, brokerage.ScaledForm)
		}
	}
	return s, nil
}
