package db2

import (
	"database/sql/driver"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// After a restart of the server a request meets one of the connections that were lost with it, not each of them.
func TestRead_Restarted(t *testing.T) {
	const users = 8
	var together, all sync.WaitGroup
	together.Add(users)
	restarted, tried := false, 0
	var f *fake
	f = &fake{answer: func(string, []driver.Value) (answer, error) {
		if !restarted {
			together.Done()
			together.Wait() // until each user has a connection
			return answer{}, nil
		}
		tried++
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.closed < users {
			return answer{}, lost
		}
		return answer{}, nil
	}}
	s := open(t, f)
	for range users {
		all.Go(func() { _, _ = s.GetOrder(t.Context(), 7) }) // it does not exist
	}
	all.Wait()
	require.Equal(t, users, s.db.Stats().Idle)
	restarted = true
	_, err := s.GetOrder(t.Context(), 7)
	var missing *tpox.NotFound
	require.ErrorAs(t, err, &missing)
	require.Equal(t, 2, tried)
}
