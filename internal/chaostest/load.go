// Package chaostest injects faults while clients trade, and counts the outcome of their trades: a proxy that cuts,
// delays and holds back connections, and traders that retry unanswered requests under the same idempotency key.
//
// Traders record what they do in a ledger, which says afterwards whether the database has every acknowledged write, and
// has it once.
package chaostest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// patience is how long a trader waits for an answer, a little longer than the service itself.
const patience = 12 * time.Second

// Load is a number of traders that trade until Stop.
type Load struct {
	name      string
	generator *dataset.Dataset
	pause     time.Duration
	ledger    *ledger.Writer
	file      string // the ledger's
	urls      atomic.Pointer[[]string]
	traders   []*trader
	stopping  atomic.Bool
	wait      sync.WaitGroup
	cancel    context.CancelFunc

	tried, acknowledged atomic.Int64

	mu     sync.Mutex
	kinds  map[string]int // of refusals and failures
	failed error
}

// Tally is the outcome of a load.
type Tally struct {
	Tried        int64          // requests that write
	Acknowledged int64          // writes
	Kinds        map[string]int // of refusals and failures meanwhile
}

// Start starts a number of traders, each with an account of the dataset that the instances at the URLs serve and with a
// pause between its requests. What one instance does not answer is sent to the next.
func Start(t testing.TB, d *dataset.Dataset, traders int, pause time.Duration, urls ...string) *Load {
	t.Helper()
	l := &Load{name: fmt.Sprintf("%x", rand.Uint64()), generator: d, pause: pause,
		file: filepath.Join(t.TempDir(), "ledger"), kinds: make(map[string]int)}
	var err error
	l.ledger, err = ledger.Create(output.File{Path: l.file})
	require.NoError(t, err)
	require.NoError(t, l.ledger.Start(d.Fingerprint()))
	l.Move(urls...)
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	t.Cleanup(func() { cancel(); l.wait.Wait() })
	orders := d.ID(dataset.Order, d.Count(dataset.Order))
	for i := range traders {
		account := d.FirstAccount(int64(i)) // the first one of another customer for each trader
		l.traders = append(l.traders, &trader{
			load: l, number: i, account: account, symbol: d.Symbol(int(account % d.Count(dataset.Security))),
			random:    rand.New(rand.NewPCG(uint64(i), 1)), //nolint:gosec // for variety
			nextOrder: orders + int64(rand.IntN(1<<20))*1_000_000 + int64(i)*10_000,
			client: &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 2},
				Timeout: patience},
		})
	}
	for _, trader := range l.traders {
		l.wait.Go(func() {
			if err := trader.run(ctx); err != nil {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.failed = cmp.Or(l.failed, err)
				l.stopping.Store(true)
			}
		})
	}
	return l
}

// Move sets the URLs of the instances.
func (l *Load) Move(urls ...string) { l.urls.Store(&urls) }

// Await waits until so many more writes have been acknowledged.
func (l *Load) Await(t testing.TB, more int64) {
	t.Helper()
	target := l.acknowledged.Load() + more
	l.until(t, func() bool { return l.acknowledged.Load() >= target })
}

// Recovered waits until every trader has had an answer to a request that began after the call. A trader whose request
// was already running sends another one. It returns how long that took.
func (l *Load) Recovered(t testing.TB) time.Duration {
	t.Helper()
	began := time.Now()
	for _, trader := range l.traders {
		l.until(t, func() bool { return trader.answered.Load() >= began.UnixNano() })
	}
	return time.Since(began)
}

func (l *Load) until(t testing.TB, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		l.mu.Lock()
		failed := l.failed
		l.mu.Unlock()
		require.NoError(t, failed)
		if time.Now().After(deadline) {
			require.Fail(t, "the load does not proceed", "%+v", l.Tally())
		}
	}
}

// Stop lets every trader finish its request, and closes the ledger.
func (l *Load) Stop(t testing.TB) Tally {
	t.Helper()
	l.stopping.Store(true)
	timer := time.AfterFunc(2*time.Minute, l.cancel)
	defer timer.Stop()
	l.wait.Wait()
	require.NoError(t, l.failed)
	for _, trader := range l.traders {
		trader.client.CloseIdleConnections() // a fault may be waiting on them
	}
	require.NoError(t, l.ledger.Close())
	return l.Tally()
}

// RequireKept requires that a store has every acknowledged write of a load that has stopped, and has it once.
func (l *Load) RequireKept(t testing.TB, s tpox.Store) result.Proof {
	t.Helper()
	history, err := ledger.ReadFile(l.file)
	require.NoError(t, err)
	proof, err := ledger.Verify(t.Context(), s, history, func(finding string) error {
		t.Error(finding)
		return nil
	})
	require.NoError(t, err)
	require.False(t, proof.Broken(), proof)
	require.Equal(t, l.Tally().Acknowledged, proof.Acknowledged)
	require.Zero(t, proof.Unknown, "every write was answered at last")
	return proof
}

// Tally returns the outcome so far.
func (l *Load) Tally() Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Tally{l.tried.Load(), l.acknowledged.Load(), maps.Clone(l.kinds)}
}

// noAnswer is the kind of a failed connection or a timeout.
const noAnswer = "no answer"

// temporary are the answers that a service may give during a fault. Any other refusal would tell a client not to retry.
var temporary = []string{noAnswer, "unavailable", "outcome-unknown", "overloaded", "timeout", "key-in-use"}

var problemType = regexp.MustCompile(`urn:brokerage:problem:([a-z-]+)<`)

// countFailure counts a request that failed temporarily. It returns an error when a retry is useless.
func (l *Load) countFailure(status int, body []byte, err error) error {
	kind := noAnswer
	if err == nil {
		kind = fmt.Sprint("status ", status)
		if found := problemType.FindSubmatch(body); found != nil {
			kind = string(found[1])
		}
	}
	if !slices.Contains(temporary, kind) {
		return fmt.Errorf("the service answered %s: %s", kind, body)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds[kind]++
	return nil
}
