package httpapi

import (
	"brokerage/internal/brokerage"
)

func (s *Server) getSecurity(q *request) error {
	symbol, err := q.symbol()
	return read(q, symbol, err, s.store.GetSecurity, q.document)
}

func (s *Server) securityPrice(q *request) error {
	symbol, err := q.symbol()
	return read(q, symbol, err, s.store.SecurityPrice, q.answer)
}

func (s *Server) searchSecurities(q *request) (err error) {
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
			return badRequest("the parameter %s is not a decimal from 0, of at most 13 digits, at most 4 of them after the point", p.name)
		}
	}
	answer, err := s.store.SearchSecurities(q.ctx, search)
	if err != nil {
		return err
	}
	return q.answer(answer)
}

func (s *Server) updateSecurityPrice(q *request) error {
	symbol, err := q.symbol()
	return change(q, symbol, err, brokerage.ReadPrice, s.store.UpdateSecurityPrice)
}

func (s *Server) replaceSecurity(q *request) error {
	symbol, err := q.symbol()
	return replace(q, symbol, err, s.store.ReplaceSecurity)
}
