package workload

import (
	"context"
	"strconv"

	"brokerage/internal/tpox"
)

// What buy_security and sell_security share.

const tradeBody = `<Trade xmlns="` + tpox.CustAccNS +
	`"><Symbol>{symbol}</Symbol><Quantity>{quantity}</Quantity></Trade>`

// tradeRefusals depend on what the account holds, which only the service knows.
var tradeRefusals = []tpox.Reason{
	tpox.TooManyHoldings, tpox.NotHeld, tpox.TooFewHeld, tpox.NotCovered, tpox.BalanceLimit,
}

// drawHolding draws an account and the symbol of its first position.
func drawHolding(u *user, c *call) {
	c.id = u.anyAccount()
	c.symbol = u.population.held(c.id)
}

func trade(side tpox.Side) execute {
	return func(ctx context.Context, s tpox.Store, c *call) ([]byte, error) {
		w := write()
		return s.Trade(ctx, w, c.id, tpox.Trade{
			Side: side, Symbol: c.symbol, Quantity: strconv.FormatInt(c.quantity, 10), Now: w.Now,
		})
	}
}
