package db2

import (
	"database/sql/driver"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// tuning returns a watcher of a server whose buffer pools have the sizes that a function says for a time since the test
// began.
func tuning(t testing.TB, settle time.Duration, pages func(time.Duration) (int64, error)) *Observer {
	t.Helper()
	began := time.Now()
	s := open(t, &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if query != statements["pool_sizes"] {
			return answer{}, nil
		}
		n, err := pages(time.Since(began))
		return answer{rows: [][]driver.Value{{"TPOX_ORD", n}, {"IBMDEFAULTBP", int64(1000)}}}, err
	}})
	s.settings.Tuning.Settle = settle
	return &Observer{s}
}

// A load test waits while a buffer pool grows, and as long after it as shows that it has stopped.
func TestSettle(t *testing.T) {
	growing := func(until time.Duration) func(time.Duration) (int64, error) {
		return func(passed time.Duration) (int64, error) {
			return 1000 + 100*int64(min(passed, until).Seconds()), nil
		}
	}
	denied := func(time.Duration) (int64, error) { return 0, failure(-551, stateNoPrivilege) }
	for name, c := range map[string]struct {
		settle time.Duration
		pages  func(time.Duration) (int64, error)
		want   string
	}{
		"NotAsked":   {0, nil, ""},
		"Steady":     {time.Hour, growing(0), "after 3m0s"},
		"Grows":      {time.Hour, growing(10 * time.Minute), "after 13m0s"},
		"KeepsOn":    {20 * time.Minute, growing(time.Hour), "not after 20m0s"},
		"MayNotRead": {time.Hour, denied, "unknown, the sizes of buffer pools cannot be read: said the fake"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := tuning(t, c.settle, c.pages)
				require.Equal(t, c.want, w.Settle(t.Context()))
			})
		})
	}
}
