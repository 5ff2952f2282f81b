package httpapi

import "brokerage/internal/tpox"

// trade returns the handler of buy_security or sell_security.
func trade(side tpox.Side) func(*request) error {
	return change(byID("account"), func(q *request, w tpox.Write, id tpox.ID, body []byte) ([]byte, error) {
		trade, err := tpox.ReadTrade(body, side, w.Now)
		if err != nil {
			return nil, err
		}
		return q.store.Trade(q.ctx, w, id, trade)
	})
}
