package postgres

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// readYourWrites returns a context for reads that a replica may answer once it has replayed all that was written.
func readYourWrites(ctx context.Context, opened tpox.Store) context.Context {
	s := opened.(*Store)
	return after(ctx, s.replicas.tokenFrom(s.pool.QueryRow(ctx, statements["write_position"])))
}

// The conformance suite, with each read on a replica that has replayed the write before it, or else on the primary.
func TestStore_Replicas(t *testing.T) {
	if *checks < allChecks {
		t.Skipf("runs the conformance suite a second time; -args -checks %d includes it", allChecks)
	}
	server := pgtest.Shared(t)
	standby := server.Standby(t, "max_connections=300")
	var byReplica, byPrimary int64
	databases := make(map[tpox.Store]string)
	open := func(t testing.TB, database string, rules tpox.Rules) tpox.Store {
		// The server does not wait for a flush; a replica gets only what is flushed.
		options := Options{Rules: rules, Replicas: []string{standby.URL(database)}}
		s := openedWith(t, server.URL(database)+"&synchronous_commit=on", options, hidden{timing: patient})
		t.Cleanup(func() {
			byReplica += s.replicas.all[0].reads.Load()
			byPrimary += s.replicas.primaryReads.Load()
		})
		eventually(t, func() bool { return s.replicas.all[0].isUp() })
		databases[s] = database
		return s
	}
	storetest.Run(t, storetest.Options{
		Open: func(t testing.TB, d *dataset.Dataset, rules tpox.Rules) tpox.Store {
			return open(t, server.Clone(t, template(t, d, "")), rules)
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			require.NoError(t, s.Close())
			return open(t, databases[s], s.(*Store).options.Rules)
		},
		Context:     readYourWrites,
		RaiseLeases: raisedLeases,
	})
	require.Positive(t, byReplica)
	t.Logf("reads: %d by the replica, %d by the primary", byReplica, byPrimary)
}
