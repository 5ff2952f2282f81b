package postgres

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
	"brokerage/internal/tpox/tpoxtest"
)

// through is a store each of whose reads sends the newest token of its writes, so that replicas may answer.
type through struct {
	tpoxtest.Stub
	database string

	mu     sync.Mutex
	newest tpox.Token
}

func (s *through) around(
	ctx context.Context, _ string, args []any, do func(context.Context) (any, error),
) (any, error) {
	w, writes := tpox.Write{}, false
	if len(args) > 0 {
		w, writes = args[0].(tpox.Write)
	}
	if !writes {
		return do(s.fresh(ctx))
	}
	w.Token = new(tpox.Token)
	args[0] = w
	answer, err := do(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.Compare(w.Token[:], s.newest[:]) > 0 { // those of one timeline are ordered
		s.newest = *w.Token
	}
	return answer, err
}

func (s *through) fresh(ctx context.Context) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == (tpox.Token{}) { // before the first write
		return within(ctx, time.Hour)
	}
	return after(ctx, s.newest)
}

// The conformance suite, with each read on a replica that has replayed the write before it, or else on the primary.
func TestStore_Replicas(t *testing.T) {
	if *checks < allChecks {
		t.Skipf("runs the conformance suite a second time; -args -checks %d includes it", allChecks)
	}
	server := pgtest.Shared(t)
	standby := server.Standby(t, "max_connections=300")
	var byReplica, byPrimary int64
	open := func(t testing.TB, database string, rules tpox.Rules) tpox.Store {
		times := patient
		times.start = 100 * time.Millisecond // the standby does not have the new database yet
		// The server does not wait for a flush; a replica gets only what is flushed.
		s := opened(t, server.URL(database)+"&synchronous_commit=on", Options{
			Rules: rules, Replicas: []string{standby.URL(database)}, timing: times,
		})
		t.Cleanup(func() {
			byReplica += s.replicas.all[0].reads.Load()
			byPrimary += s.replicas.primaryReads.Load()
		})
		eventually(t, func() bool { return s.replicas.all[0].up.Load() })
		wrapped := &through{database: database}
		wrapped.Inner, wrapped.Around = s, wrapped.around
		return wrapped
	}
	storetest.Run(t, storetest.Options{
		Open: func(t testing.TB, d *dataset.Dataset, rules tpox.Rules) tpox.Store {
			return open(t, server.Clone(t, template(t, d, "")), rules)
		},
		Reopen: func(t testing.TB, s tpox.Store) tpox.Store {
			old := s.(*through)
			require.NoError(t, s.Close())
			return open(t, old.database, old.Inner.(*Store).options.Rules)
		},
		RaiseLeases: func(t testing.TB, s tpox.Store, next int64) {
			require.NoError(t, raiseLeases(t.Context(), s.(*through).Inner.(*Store).pool, next, next, next))
		},
	})
	require.Positive(t, byReplica)
	t.Logf("reads: %d by the replica, %d by the primary", byReplica, byPrimary)
}
