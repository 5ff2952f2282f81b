package postgres

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
)

// BenchmarkQueries compares each query with fetching the same documents by their keys and doing the work here: what
// SQL/XML costs, and what it saves.
func BenchmarkQueries(b *testing.B) {
	server := pgtest.Shared(b)
	d := generator(b, "XXXS")
	s := opened(b, server.URL(template(b, server, d)), Options{})
	customer := func() brokerage.ID {
		return brokerage.ID(d.ID(dataset.Customer, rand.Int64N(d.Count(dataset.Customer))))
	}
	order := func() brokerage.ID { return brokerage.ID(d.ID(dataset.Order, rand.Int64N(d.Count(dataset.Order)))) }
	symbol := func() string { return d.Symbol(rand.IntN(int(d.Count(dataset.Security)))) }
	fetched := func(ctx context.Context, sql string, key any, each func(doc []byte)) error {
		rows, err := s.pool.Query(ctx, sql, key)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			each(rows.RawValues()[0])
		}
		return rows.Err()
	}
	search := brokerage.Search{Sector: "Energy", PEMin: 210000, PEMax: 260000, YieldMin: 50000}
	for _, q := range []struct {
		name      string
		sql, here func(context.Context) error
	}{
		{"get_order",
			func(ctx context.Context) error { _, err := s.GetOrder(ctx, order()); return err },
			func(ctx context.Context) error {
				return fetched(ctx, "SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.orders WHERE (keys).id = $1", order(),
					func(doc []byte) { brokerage.Order(doc) })
			}},
		{"get_security",
			func(ctx context.Context) error { _, err := s.GetSecurity(ctx, symbol()); return err },
			func(ctx context.Context) error {
				return fetched(ctx, statements["get_security"], symbol(), func([]byte) {})
			}},
		{"customer_profile",
			func(ctx context.Context) error { _, err := s.CustomerProfile(ctx, customer()); return err },
			func(ctx context.Context) error {
				return fetched(ctx, statements["get_customer"], customer(), func(doc []byte) { brokerage.CustomerProfile(doc) })
			}},
		{"search_securities",
			func(ctx context.Context) error { _, err := s.SearchSecurities(ctx, search); return err },
			func(ctx context.Context) error {
				return fetched(ctx, `SELECT XMLSERIALIZE(CONTENT doc AS text) FROM brokerage.securities
					WHERE (keys).sector = $1 AND (keys).pe >= 21 AND (keys).pe < 26 AND (keys).yield > 5
					ORDER BY (keys).symbol COLLATE "C"`, search.Sector,
					func(doc []byte) {
						keys, _ := brokerage.SecurityKeysOf(doc)
						brokerage.AppendHit(nil, keys)
					})
			}},
		{"account_summary",
			func(ctx context.Context) error { _, err := s.AccountSummary(ctx, customer()); return err },
			func(ctx context.Context) error {
				return fetched(ctx, statements["get_customer"], customer(), func(doc []byte) { brokerage.AccountSummary(doc) })
			}},
		{"get_security_price",
			func(ctx context.Context) error { _, err := s.SecurityPrice(ctx, symbol()); return err },
			func(ctx context.Context) error {
				return fetched(ctx, statements["get_security"], symbol(), func(doc []byte) { brokerage.SecurityPrice(doc) })
			}},
		{"customer_max_order",
			func(ctx context.Context) error { _, err := s.CustomerMaxOrder(ctx, customer()); return err },
			func(ctx context.Context) error {
				return fetched(ctx, `SELECT XMLSERIALIZE(CONTENT o.doc AS text)
					FROM brokerage.customers AS c, unnest((c.keys).accounts) AS a (account),
					LATERAL (SELECT keys, doc FROM brokerage.orders AS o
						WHERE (o.keys).account = a.account AND (o.keys).cash IS NOT NULL
						ORDER BY (o.keys).cash DESC, (o.keys).id LIMIT 1) AS o
					WHERE (c.keys).id = $1 ORDER BY (o.keys).cash DESC, (o.keys).id LIMIT 1`, customer(),
					func(doc []byte) { brokerage.MaxOrder(1, doc) })
			}},
	} {
		for _, way := range []struct {
			name string
			do   func(context.Context) error
		}{{"sql", q.sql}, {"here", q.here}} {
			b.Run(q.name+"/"+way.name, func(b *testing.B) {
				b.SetParallelism(8)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						require.NoError(b, way.do(b.Context()))
					}
				})
			})
		}
	}
}
