package httpapi

import "brokerage/internal/brokerage"

// trade returns the handler of buy_security or sell_security.
func trade(side brokerage.Side) func(*request) error {
	return change(byID("account"), func(q *request, w brokerage.Write, id brokerage.ID, body []byte) ([]byte, error) {
		trade, err := brokerage.ReadTrade(body, side, w.Now)
		if err != nil {
			return nil, err
		}
		return q.server.store.Trade(q.ctx, w, id, trade)
	})
}
