package httpapi

import (
	"net/http"

	"brokerage/internal/access"
	"brokerage/internal/brokerage"
)

var searchSecurities = &operation{
	name: "search_securities", method: http.MethodGet, path: "/v1/securities", scope: access.Read,
	handle: (*request).searchSecurities,
}

func (q *request) searchSecurities() (err error) {
	if err := q.accepts(); err != nil {
		return err
	}
	var search brokerage.Search
	if search.Sector, err = q.required("sector"); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		into *int64
	}{{"peMin", &search.PEMin}, {"peMax", &search.PEMax}, {"yieldMin", &search.YieldMin}} {
		text, err := q.required(p.name)
		if err != nil {
			return err
		}
		var ok bool
		if *p.into, ok = brokerage.Scaled(text); !ok {
			return badRequest("the parameter %s is not %s", p.name, brokerage.ScaledForm)
		}
	}
	answer, err := q.server.store.SearchSecurities(q.ctx, search)
	if err != nil {
		return err
	}
	return q.answer(answer)
}
