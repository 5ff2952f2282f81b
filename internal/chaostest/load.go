// Package chaostest injects faults while clients trade: a proxy that cuts, delays and holds back connections, a clock
// that jumps, and traders that retry failed requests under the same idempotency key. The traders record what they
// do in a ledger, which says afterwards whether the database has every acknowledged write, and has it once.
package chaostest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"brokerage/internal/dataset"
	"brokerage/internal/ledger"
	"brokerage/internal/output"
	"brokerage/internal/tpox"
)

// Load is a number of traders that trade until Stop.
type Load struct {
	Ledger string // the file with what they do

	generator *dataset.Dataset
	ledger    *ledger.Writer
	client    *http.Client
	traders   []*trader
	running   *errgroup.Group // the traders
	failed    <-chan struct{} // closed when one of them has ended with an error
	cancel    context.CancelFunc
	stopping  atomic.Bool

	mu    sync.Mutex
	urls  []string
	tally Tally
}

// Tally is the outcome of a load.
type Tally struct {
	Tried        int64          // requests that write
	Acknowledged int64          // writes
	Kinds        map[string]int // of refusals and failures meanwhile
}

// Start starts a number of traders, each with an account of the dataset that the instances at the URLs serve. A
// request that fails at one instance is sent to the next.
func Start(t testing.TB, d *dataset.Dataset, traders int, urls ...string) *Load {
	t.Helper()
	l := &Load{
		Ledger: filepath.Join(t.TempDir(), "ledger"), generator: d, urls: urls,
		client: &http.Client{
			Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: traders},
			Timeout:   12 * time.Second, // a little longer than the service itself waits
		},
		tally: Tally{Kinds: make(map[string]int)},
	}
	var err error
	l.ledger, err = ledger.Create(output.File{Path: l.Ledger})
	require.NoError(t, err)
	require.NoError(t, l.ledger.Start(d.Fingerprint()))
	ctx, cancel := context.WithCancel(context.Background())
	l.running, ctx = errgroup.WithContext(ctx)
	l.cancel, l.failed = cancel, ctx.Done()
	t.Cleanup(func() { cancel(); _ = l.running.Wait() })
	firstOrder := d.ID(dataset.Order, d.Count(dataset.Order)) + int64(rand.IntN(1<<20))*1_000_000
	for i := range traders {
		account := d.FirstAccount(int64(i)) // the first account of customer i
		trader := &trader{
			Load: l, number: i, account: account, symbol: d.Symbol(int(account % d.Count(dataset.Security))),
			nextOrder: firstOrder + int64(i)*10_000,
		}
		l.traders = append(l.traders, trader)
		l.running.Go(func() error { return trader.run(ctx) })
	}
	return l
}

// Move sets the URLs of the instances.
func (l *Load) Move(urls ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.urls = urls
}

// Await waits until the number of acknowledged writes has grown by more.
func (l *Load) Await(t testing.TB, more int64) {
	t.Helper()
	target := l.Tally().Acknowledged + more
	l.until(t, func() bool { return l.Tally().Acknowledged >= target })
}

// Recovered waits until every trader has had success with a request that began after the call. A trader whose request
// was already running sends another one. Recovered returns how long it waited.
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
		select {
		case <-l.failed:
			require.NoError(t, l.running.Wait())
		default:
		}
		require.True(t, time.Now().Before(deadline), "the load does not proceed: %+v", l.Tally())
	}
}

// Stop lets every trader finish its request, and closes the ledger.
func (l *Load) Stop(t testing.TB) Tally {
	t.Helper()
	l.stopping.Store(true)
	defer time.AfterFunc(2*time.Minute, l.cancel).Stop()
	require.NoError(t, l.running.Wait())
	l.client.CloseIdleConnections() // a proxy may still wait for data on them
	require.NoError(t, l.ledger.Close())
	return l.Tally()
}

// Tally returns the outcome so far.
func (l *Load) Tally() Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Tally{l.tally.Tried, l.tally.Acknowledged, maps.Clone(l.tally.Kinds)}
}

// trader buys and sells for one account, and places orders.
type trader struct {
	*Load

	number    int
	account   int64
	symbol    string
	nextOrder int64
	answered  atomic.Int64 // when the last request that succeeded began, in Unix nanoseconds
}

// run trades until the load stops, and then finishes a started request. When ctx is done, it returns an error.
func (t *trader) run(ctx context.Context) error {
	for !t.stopping.Load() {
		write := t.trade
		if rand.IntN(4) == 0 {
			write = t.order
		}
		if err := write(ctx); err != nil {
			return err
		}
		time.Sleep(time.Millisecond) // leaves time to other processes
	}
	return nil
}

func (t *trader) trade(ctx context.Context) error {
	account := fmt.Sprintf("/v1/accounts/%d", t.account)
	if err := t.ledger.Holds(tpox.ID(t.account), func() ([]byte, error) {
		return t.send(ctx, http.MethodGet, account, "", "")
	}); err != nil {
		return err
	}
	quantity, path := decimal.New(100+rand.Int64N(9900), -3), account+"/buy" // worth at least a cent at any price
	change := ledger.Change{Do: "buy_security", ID: tpox.ID(t.account), Symbol: t.symbol, Quantity: quantity}
	if rand.IntN(3) == 0 {
		path, change.Do, change.Quantity = account+"/sell", "sell_security", quantity.Neg()
	}
	return t.write(ctx, change, path, fmt.Sprintf(
		`<Trade xmlns=%q><Symbol>%s</Symbol><Quantity>%s</Quantity></Trade>`, tpox.CustAccNS, t.symbol, quantity))
}

func (t *trader) order(ctx context.Context) error {
	id := t.nextOrder
	t.nextOrder++
	doc := t.generator.AppendNewOrder(nil, id, dataset.NewOrder{
		ID: id, Account: t.account, Symbol: t.symbol, Time: time.Now(),
	})
	return t.write(ctx, ledger.Change{Do: "insert_order", ID: tpox.ID(id)}, "/v1/orders", string(doc))
}

// write sends a change until it succeeds, under one idempotency key, and records it.
func (t *trader) write(ctx context.Context, c ledger.Change, path, body string) error {
	at, err := t.ledger.Begin(c)
	if err != nil {
		return err
	}
	answer, err := t.send(ctx, http.MethodPost, path, body, fmt.Sprintf("%016x", rand.Uint64()))
	if err != nil {
		return err
	}
	var movement decimal.Decimal
	if c.IsTrade() {
		if movement, err = ledger.Movement(answer); err != nil {
			return fmt.Errorf("%w: %s", err, answer)
		}
	}
	t.ledger.End(at, ledger.Acknowledged, movement)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tally.Acknowledged++
	return nil
}

// temporary are the answers that a service may give during a fault. Any other refusal would tell a client not to retry.
var temporary = []string{noAnswer, "unavailable", "outcome-unknown", "overloaded", "timeout", "key-in-use"}

// send sends a request until it succeeds or fails for good, each time to the next instance.
func (t *trader) send(ctx context.Context, method, path, body, key string) ([]byte, error) {
	began := time.Now()
	for try := 0; ; try++ {
		t.mu.Lock()
		url := t.urls[(t.number+try)%len(t.urls)]
		if key != "" {
			t.tally.Tried++
		}
		t.mu.Unlock()
		r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		if key != "" {
			r.Header.Set("Content-Type", "application/xml")
			r.Header.Set("Idempotency-Key", key)
			r.GetBody = nil // net/http would otherwise send it again, uncounted
		}
		answer, failure := t.once(r)
		switch {
		case failure == "":
			t.answered.Store(began.UnixNano())
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !slices.Contains(temporary, failure):
			return nil, fmt.Errorf("the service answered %s: %s", failure, answer)
		}
		t.mu.Lock()
		t.tally.Kinds[failure]++
		t.mu.Unlock()
		time.Sleep(time.Duration(1+rand.IntN(20+10*min(try, 10))) * time.Millisecond)
	}
}

// noAnswer is the kind of a failed connection or a timeout.
const noAnswer = "no answer"

var problemType = regexp.MustCompile(`urn:brokerage:problem:([a-z-]+)<`)

// once sends a request once, and returns the body of the response, and the kind of a failure.
func (t *trader) once(r *http.Request) (body []byte, failure string) {
	response, err := t.client.Do(r)
	if err != nil {
		return nil, noAnswer
	}
	defer func() { _ = response.Body.Close() }() // only read
	if body, err = io.ReadAll(response.Body); err != nil {
		return nil, noAnswer
	}
	if response.StatusCode/100 == 2 {
		return body, ""
	}
	if found := problemType.FindSubmatch(body); found != nil {
		return body, string(found[1])
	}
	return body, response.Status
}
