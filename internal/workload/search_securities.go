package workload

import (
	"context"

	"brokerage/internal/tpox"
)

var searchSecurities = &Transaction{
	Transaction: tpox.Named("search_securities"),
	draw: func(u *User, c *Call) bool {
		c.search = searchCall{
			sector: &u.sectors[u.rand.IntN(len(u.sectors))],
			peMin:  u.between(u.peMin), peMax: u.between(u.peMax), yieldMin: u.between(u.yieldMin),
		}
		return true
	},
	request: get("/v1/securities?sector={sector}&peMin={peMin}&peMax={peMax}&yieldMin={yieldMin}"),
	execute: func(ctx context.Context, s tpox.Store, c *Call) ([]byte, error) {
		const one = 10_000 // a Search counts ten-thousandths
		return s.SearchSecurities(ctx, tpox.Search{
			Sector: c.search.sector.name,
			PEMin:  c.search.peMin * one, PEMax: c.search.peMax * one, YieldMin: c.search.yieldMin * one,
		})
	},
	key: text(` count="`),
}

// searchCall are the parameters of a search, in whole numbers.
type searchCall struct {
	sector                 *sector
	peMin, peMax, yieldMin int64
}

// sector is a sector's name, plain and as a URL has it.
type sector struct{ name, escaped string }
