package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
)

func TestStore(t *testing.T) {
	server := pgtest.Shared(t)
	urls := make(map[*Store]string)
	open := func(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) brokerage.Store {
		url := server.URL(server.Clone(t, template(t, server, d)))
		s := opened(t, url, Options{Rules: rules})
		urls[s] = url
		return s
	}
	storetest.Run(t,
		func(t testing.TB, d *dataset.Dataset) brokerage.Store { return open(t, d, brokerage.Rules{}) },
		storetest.Options{
			OpenWith: open,
			Reopen: func(t testing.TB, s brokerage.Store) brokerage.Store {
				require.NoError(t, s.Close())
				url := urls[s.(*Store)]
				again := opened(t, url, s.(*Store).options)
				urls[again] = url
				return again
			},
			Exceptions: map[string]string{},
		})
}
