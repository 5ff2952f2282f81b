package postgres

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Lookups that share a round trip each get their own answer, and their own error.
func TestLookups_Together(t *testing.T) {
	s, d, _, _ := tiny(t)
	query := func(sql string, args ...any) *lookup { return &lookup{sql: sql, args: args, done: make(chan struct{})} }
	members := []*lookup{
		query(statements["get_security"], d.Symbol(0)),
		query(statements["get_security"], "NONE"),
		query("SELECT (1 / ($1::int))::text", 0),
		query(statements["get_security"], d.Symbol(1)),
	}
	s.lookups.run(members)
	for _, q := range members {
		<-q.done
	}
	require.NoError(t, members[0].err)
	require.Equal(t, string(d.Append(nil, dataset.Security, 0)), string(members[0].doc))
	require.ErrorIs(t, members[1].err, pgx.ErrNoRows)
	require.ErrorContains(t, members[2].err, "division by zero")
	require.NoError(t, members[3].err)
	require.Equal(t, string(d.Append(nil, dataset.Security, 1)), string(members[3].doc))
}

// Some of many concurrent lookups are cancelled, and every answer belongs to its query.
func TestLookups_GiveUp(t *testing.T) {
	s, d, _, _ := tiny(t)
	var all sync.WaitGroup
	for n := range 32 {
		all.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if (n+i)%5 == 0 {
					go cancel()
				}
				k := (n*200 + i) % int(d.Count(dataset.Security))
				doc, err := s.GetSecurity(ctx, d.Symbol(k))
				cancel()
				switch {
				case err == nil:
					if !bytes.Equal(doc, d.Append(nil, dataset.Security, int64(k))) {
						t.Errorf("the answer is of another question")
					}
				case !errors.Is(err, context.Canceled):
					t.Errorf("get_security: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func TestClose(t *testing.T) {
	s, d, _, _ := tiny(t)
	calls := storetest.Calls(t, s, d)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	for _, call := range calls {
		require.True(t, tpox.Is[*tpox.Unavailable](call.Do(t.Context())), call.Name)
	}
}
