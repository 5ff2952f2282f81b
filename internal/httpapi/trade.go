package httpapi

import (
	"brokerage/internal/brokerage"
)

// trade answers buy_security or sell_security.
func (q *request) trade(side brokerage.Side) error {
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
	confirmation, err := q.server.store.Trade(q.ctx, w, account, trade)
	if err != nil {
		return err
	}
	return q.answer(confirmation)
}
