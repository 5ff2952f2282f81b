package workload

import (
	"context"
	"strconv"

	"brokerage/internal/brokerage"
)

// What buy_security and sell_security share.

// tradeRefusals depend on what the account holds, which only the service knows.
var tradeRefusals = []brokerage.Reason{
	brokerage.TooManyHoldings, brokerage.NotHeld, brokerage.TooFewHeld, brokerage.NotCovered, brokerage.BalanceLimit,
}

// drawHolding draws an account and the symbol of its first position.
func drawHolding(u *user, c *call) {
	account := u.anyAccount()
	c.id, c.symbol = brokerage.ID(account), u.population.held(account)
}

func accountPath(dst []byte, c *call) []byte { return appendID(append(dst, "/v1/accounts/"...), c.id) }

func tradeBody(dst []byte, c *call) []byte {
	dst = append(append(dst, `<Trade xmlns="`+brokerage.CustAccNS+`"><Symbol>`...), c.symbol...)
	dst = strconv.AppendInt(append(dst, "</Symbol><Quantity>"...), c.quantity, 10)
	return append(dst, "</Quantity></Trade>"...)
}

func trade(ctx context.Context, s brokerage.Store, c *call, side brokerage.Side) ([]byte, error) {
	w := write()
	return s.Trade(ctx, w, c.id, brokerage.Trade{
		Side: side, Symbol: c.symbol, Quantity: strconv.FormatInt(c.quantity, 10), Now: w.Now,
	})
}
