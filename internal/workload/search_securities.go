package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var _ = known(&Transaction{
	Transaction: tpox.Named("search_securities"),
	draw: func(u *User, c *Call) bool {
		among := u.population.Search
		within := func(b bounds) int64 { return searchUnit * u.between(Range{b.From, b.To}) }
		c.search = tpox.Search{
			Sector: among.Sectors[u.rand.IntN(len(among.Sectors))],
			PEMin:  within(among.PEMin), PEMax: within(among.PEMax), YieldMin: within(among.YieldMin),
		}
		return true
	},
	request: get("/v1/securities?sector={sector}&peMin={peMin}&peMax={peMax}&yieldMin={yieldMin}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		return s.SearchSecurities(ctx, c.search)
	},
	key: ` count="`,
})

// searchUnit is 1 in a Search, which counts ten-thousandths.
const searchUnit = 10_000
