package workload

import (
	"context"

	"brokerage/internal/tpox"
)

// What buy_security and sell_security share.

const tradeBody = `<Trade xmlns="` + tpox.CustAccNS +
	`"><Symbol>{symbol}</Symbol><Quantity>{quantity}</Quantity></Trade>`

// tradeRefusals depend on what the account holds, which users do not track.
var tradeRefusals = []tpox.Reason{
	tpox.TooManyHoldings, tpox.NotHeld, tpox.TooFewHeld, tpox.NotCovered, tpox.BalanceLimit,
}

// drawHolding draws an account and the symbol of its first position.
func drawHolding(u *User, c *Call) {
	c.ID = u.accountOf(u.pickCustomer())
	c.Symbol = u.population.Symbols[int64(c.ID)%u.population.Securities.Count]
}

func trade(side tpox.Side) execute {
	return func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		w := write()
		return s.Trade(ctx, w, c.ID, tpox.Trade{Side: side, Symbol: c.Symbol, Quantity: c.value("quantity"), Now: w.Now})
	}
}
