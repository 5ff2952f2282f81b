package workload

import (
	"context"
	"strconv"

	"brokerage/internal/brokerage"
)

var searchSecurities = &transaction{
	Transaction: brokerage.Named("search_securities"),
	draw: func(u *user, c *call) bool {
		c.search = searchCall{
			sector: &u.sectors[u.rand.IntN(len(u.sectors))],
			peMin:  u.between(u.peMin), peMax: u.between(u.peMax), yieldMin: u.between(u.yieldMin),
		}
		return true
	},
	method: "GET",
	path: func(dst []byte, c *call) []byte {
		dst = append(append(dst, "/v1/securities?sector="...), c.search.sector.escaped...)
		dst = strconv.AppendInt(append(dst, "&peMin="...), c.search.peMin, 10)
		dst = strconv.AppendInt(append(dst, "&peMax="...), c.search.peMax, 10)
		return strconv.AppendInt(append(dst, "&yieldMin="...), c.search.yieldMin, 10)
	},
	execute: func(ctx context.Context, s brokerage.Store, c *call) ([]byte, error) {
		const one = 10_000 // a Search counts ten-thousandths
		return s.SearchSecurities(ctx, brokerage.Search{
			Sector: c.search.sector.name,
			PEMin:  c.search.peMin * one, PEMax: c.search.peMax * one, YieldMin: c.search.yieldMin * one,
		})
	},
	key: func(dst []byte, _ *call) []byte { return append(dst, ` count="`...) },
}

// searchCall are the parameters of a search, in whole numbers.
type searchCall struct {
	sector                 *sector
	peMin, peMax, yieldMin int64
}

// sector is a sector's name, plain and as a URL has it.
type sector struct{ name, escaped string }
