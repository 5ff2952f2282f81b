package httpapi

import (
	"brokerage/internal/brokerage"
)

func (s *Server) getCustomer(q *request) error {
	id, err := q.key("customer")
	return read(q, id, err, s.store.GetCustomer, q.document)
}

func (s *Server) customerProfile(q *request) error {
	id, err := q.key("customer")
	return read(q, id, err, s.store.CustomerProfile, q.answer)
}

func (s *Server) accountSummary(q *request) error {
	id, err := q.key("customer")
	return read(q, id, err, s.store.AccountSummary, q.answer)
}

func (s *Server) customerMaxOrder(q *request) error {
	id, err := q.key("customer")
	return read(q, id, err, s.store.CustomerMaxOrder, q.answer)
}

func (s *Server) insertCustomer(q *request) error {
	validate, err := q.flag("validate", "yes", "no", true)
	if err != nil {
		return err
	}
	doc, err := q.body()
	if err != nil {
		return err
	}
	return q.insert(doc, "/v1/customers/", func(w brokerage.Write) (brokerage.ID, error) {
		return s.store.InsertCustomer(q.ctx, w, doc, validate)
	})
}

func (s *Server) replaceCustomer(q *request) error {
	id, err := q.key("customer")
	return replace(q, id, err, s.store.ReplaceCustomer)
}

func (s *Server) deleteCustomer(q *request) error {
	return q.remove("customer", s.store.DeleteCustomer)
}

func (s *Server) openAccount(q *request) error {
	customer, err := q.key("customer")
	if err != nil {
		return err
	}
	account, err := q.body()
	if err != nil {
		return err
	}
	if err := brokerage.CheckAccount(account); err != nil {
		return err
	}
	return q.insert(account, "/v1/accounts/", func(w brokerage.Write) (brokerage.ID, error) {
		return s.store.OpenAccount(q.ctx, w, customer, account)
	})
}

func (s *Server) closeAccount(q *request) error {
	customer, err := q.key("customer")
	if err != nil {
		return err
	}
	account, err := q.key("account")
	if err != nil {
		return err
	}
	if err := s.store.CloseAccount(q.ctx, brokerage.Write{Now: s.now()}, customer, account); err != nil {
		return err
	}
	return q.done(nil)
}

func (s *Server) getAccount(q *request) error {
	id, err := q.key("account")
	if err != nil {
		return err
	}
	if err := q.accepts(); err != nil {
		return err
	}
	customer, err := s.store.CustomerOf(q.ctx, id)
	if err != nil {
		return err
	}
	return q.answer(element("Account", "id", id.String(), "customer", customer.String()))
}

// trade is buy_security or sell_security.
func (s *Server) trade(side brokerage.Side) func(*request) error {
	return func(q *request) error {
		account, err := q.key("account")
		if err != nil {
			return err
		}
		if err := q.accepts(); err != nil {
			return err
		}
		body, err := q.body()
		if err != nil {
			return err
		}
		w, done, err := q.write(body)
		if err != nil {
			return err
		}
		defer done()
		trade, err := brokerage.ReadTrade(body, side, w.Now)
		if err != nil {
			return err
		}
		confirmation, err := s.store.Trade(q.ctx, w, account, trade)
		if err != nil {
			return err
		}
		return q.answer(confirmation)
	}
}
