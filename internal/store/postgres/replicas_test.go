package postgres

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

var checks = flag.Int("checks", 4000, "reads with a token, each checked for staleness")

// A cluster is a primary with the smallest dataset and two streaming replicas.
type cluster struct {
	primary  *pgtest.Server
	standbys []*pgtest.Server
	d        *dataset.Dataset
}

// TestReplicas runs all cases on one cluster. The last one kills the primary and promotes a replica.
func TestReplicas(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := &cluster{primary: pgtest.Start(t, "synchronous_commit=on", "wal_keep_size=1GB"), d: generator(t)}
	s := opened(t, c.primary.URL("postgres"), Options{})
	require.NoError(t, s.LoadDataset(t.Context(), c.d, nil))
	require.NoError(t, s.Close())
	c.standbys = []*pgtest.Server{c.primary.Standby(t), c.primary.Standby(t)}
	t.Run("Start", c.start)
	t.Run("Tokens", c.tokens)
	t.Run("Fallbacks", c.fallbacks)
	t.Run("Hangs", c.hangs)
	t.Run("TokenIsNeverStale", c.tokenIsNeverStale)
	t.Run("Killed", c.killed)
	t.Run("MaxStaleness", c.maxStaleness)
	t.Run("Failover", c.failover)
}

// patient is a timing for a machine that is busy with other tests.
var patient = timing{interval: 50 * time.Millisecond, patience: 5 * time.Second, pause: 250 * time.Millisecond}

// replicated is a store with replicas.
type replicated struct {
	*Store
	*cluster
}

// open opens a store with replicas at the given URLs, and waits until they get reads.
func (c *cluster) open(t testing.TB, times timing, url string, replicas ...string) *replicated {
	t.Helper()
	options := Options{Replicas: replicas, Notice: func(text string) { t.Log(text) }}
	s := openedWith(t, url, options, hidden{timing: times})
	r := &replicated{s, c}
	r.awaitUp(t, len(replicas))
	return r
}

// replicate opens a store with the first replicas of the cluster.
func (c *cluster) replicate(t testing.TB, replicas int) *replicated {
	t.Helper()
	urls := []string{c.standbys[0].URL("postgres"), c.standbys[1].URL("postgres")}
	return c.open(t, patient, c.primary.URL("postgres"), urls[:replicas]...)
}

// awaitUp waits until exactly want replicas get reads.
func (r *replicated) awaitUp(t testing.TB, want int) {
	t.Helper()
	eventually(t, func() bool {
		up := 0
		for _, one := range r.replicas.all {
			if one.isUp() {
				up++
			}
		}
		return up == want
	})
}

// after returns a context for reads that contain the write of a token.
func after(ctx context.Context, token tpox.Token) context.Context {
	return tpox.WithFreshness(ctx, tpox.Freshness{After: token})
}

// within returns a context for reads of a bounded age.
func within(ctx context.Context, age time.Duration) context.Context {
	return tpox.WithFreshness(ctx, tpox.Freshness{Within: age})
}

// setPrice sets the price of a security, and returns the token of the write.
func (r *replicated) setPrice(t testing.TB, symbol string, price int64) tpox.Token {
	t.Helper()
	w := now()
	w.Token = new(tpox.Token)
	require.NoError(t, errOf(r.UpdateSecurityPrice(t.Context(), w, symbol, tpox.Price{LastTrade: fmt.Sprint(price)})))
	require.NotZero(t, *w.Token)
	return *w.Token
}

// requirePrice requires that a read finds a price.
func (r *replicated) requirePrice(ctx context.Context, t testing.TB, symbol string, price int64) {
	t.Helper()
	answer, err := r.SecurityPrice(ctx, symbol)
	require.NoError(t, err)
	require.Contains(t, string(answer), fmt.Sprintf(">%d</LastTrade>", price))
}

// fallen returns the store's count of fallbacks for a reason.
func (r *replicated) fallen(reason string) int64 { return r.Stats().Fallbacks[reason] }

func (r *replicated) primaryReads() int64 { return r.Stats().PrimaryReads }

func (r *replicated) readsOf(replica int) int64 { return r.replicas.all[replica].reads.Load() }

// A client that reads what it has written, and sends the token of the write, never gets an older answer: while others
// write, and while the replay of one of two replicas is paused. With -checks 100000 it is tried that often.
func (c *cluster) tokenIsNeverStale(t *testing.T) {
	r := c.replicate(t, 2)
	// This store's commits are acknowledged before they are flushed, and a replica gets only what is flushed.
	early := c.open(t, patient, c.primary.URL("postgres")+"&synchronous_commit=off",
		c.standbys[0].URL("postgres"), c.standbys[1].URL("postgres"))
	want := int64(*checks)
	var done, stale, next atomic.Int64
	var clients sync.WaitGroup
	t.Cleanup(func() { done.Store(want); clients.Wait() })
	for n := range 8 {
		from := r
		if n%4 == 0 {
			from = early
		}
		clients.Go(func() {
			for done.Load() < want {
				from.checkOrder(t, 710_000_000_000+next.Add(1), &done, &stale)
			}
		})
	}
	eventually(t, func() bool { return done.Load() >= want/4 })
	r.standbys[0].Exec(t, "postgres", "SELECT pg_wal_replay_pause()")
	eventually(t, func() bool { return done.Load() >= want/2 })
	require.Positive(t, r.fallen(fallbackBehind)+r.fallen(fallbackNone))
	paused := r.readsOf(1)
	eventually(t, func() bool { return r.readsOf(1) > paused }) // the other one answers
	r.standbys[0].Exec(t, "postgres", "SELECT pg_wal_replay_resume()")
	resumed := r.readsOf(0)
	eventually(t, func() bool { return done.Load() >= want })
	clients.Wait()
	require.Zero(t, stale.Load())
	r.awaitUp(t, 2)
	token := r.setPrice(t, r.d.Symbol(0), 1)
	eventually(t, func() bool { // the first replica gets reads again
		r.requirePrice(after(t.Context(), token), t, r.d.Symbol(0), 1)
		return r.readsOf(0) > resumed
	})
	t.Logf("%d reads with a token, 0 stale: %d and %d by the replicas, %d by the primary; behind %d, no replica %d",
		done.Load(), r.readsOf(0), r.readsOf(1), r.primaryReads(), r.fallen(fallbackBehind),
		r.fallen(fallbackNone))
}

// checkOrder inserts an order and deletes it, and reads it four times after each write, with its token.
func (r *replicated) checkOrder(t testing.TB, id int64, done, stale *atomic.Int64) {
	w := now()
	w.Token = new(tpox.Token)
	_, err := r.InsertOrder(context.Background(), w, order(r.d, id))
	for _, there := range []bool{true, false} {
		if err != nil || *w.Token == (tpox.Token{}) {
			t.Errorf("order %d: %v, token %s", id, err, w.Token)
			return
		}
		for range 4 {
			_, err := r.GetOrder(after(context.Background(), *w.Token), tpox.ID(id))
			if (err == nil) != there {
				stale.Add(1)
			}
			if err != nil && !tpox.Is[*tpox.NotFound](err) {
				t.Errorf("order %d: %v", id, err)
			}
			done.Add(1)
		}
		if there {
			*w.Token = tpox.Token{}
			err = r.DeleteOrder(context.Background(), w, tpox.ID(id))
		}
	}
}

// A read with a bound on its age is answered by replicas while the primary is idle, also at the end of a file of its
// log. After a write, a replica that is cut off answers only within the bound.
func (c *cluster) maxStaleness(t *testing.T) {
	const maxLag = time.Second
	r := c.replicate(t, 2)
	symbol := r.d.Symbol(0)
	r.awaitReplay(t, r.standbys[0], r.setPrice(t, symbol, 1))
	attach := r.standbys[0].CutOff(t)
	answered := func(by int, age time.Duration) bool {
		before := r.readsOf(by)
		r.requirePrice(within(t.Context(), age), t, symbol, 1)
		return r.readsOf(by) > before
	}
	r.reachesEndOfFile(t, r.standbys[1])
	time.Sleep(2 * maxLag)
	eventually(t, func() bool { return answered(1, maxLag) })

	r.setPrice(t, symbol, 2)
	time.Sleep(maxLag)
	cut := r.readsOf(0)
	for range 200 {
		r.requirePrice(within(t.Context(), maxLag/2), t, symbol, 2)
	}
	require.Equal(t, cut, r.readsOf(0))
	require.Greater(t, r.Stats().Replicas[0].Age, maxLag/2)
	eventually(t, func() bool { // clients that accept that age get an answer from it
		require.NoError(t, errOf(r.SecurityPrice(within(t.Context(), time.Hour), symbol)))
		return r.readsOf(0) > cut
	})
	attach()
	eventually(t, func() bool { return r.Stats().Replicas[0].Age < maxLag/2 })
}

// reachesEndOfFile waits until the log ends with a whole WAL segment and a replica has replayed it.
func (r *replicated) reachesEndOfFile(t testing.TB, standby *pgtest.Server) {
	t.Helper()
	primary, replica := r.primary.Connect(t, "postgres"), standby.Connect(t, "postgres")
	const at = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
	eventually(t, func() bool {
		r.primary.Exec(t, "postgres", "SELECT pg_switch_wal()")
		began := value[int64](t, primary, at)
		p, err := readPosition(primary.QueryRow(t.Context(), statements["write_position"]))
		require.NoError(t, err)
		return began%(16<<20) == 40 && value[int64](t, primary, at) == began && p.lsn == began-40 &&
			value[int64](t, replica, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint") >= p.lsn
	})
}

// After a failover, an old token leads to the primary. A replica that has replayed more of the old primary's log than
// the new primary does not answer a read with a new token, although its LSN is higher.
func (c *cluster) failover(t *testing.T) {
	successor, left := c.standbys[0], c.standbys[1]
	url := c.primary.URL("postgres") + "&target_session_attrs=read-write"
	both := strings.Replace(url, "host=", "host="+strings.TrimSuffix(successor.Socket(), "/.s.PGSQL.5432")+",", 1)
	r := c.open(t, patient, both, left.URL("postgres"))

	symbol, other := c.d.Symbol(0), c.d.Symbol(1)
	old := r.setPrice(t, symbol, 1)
	r.requirePrice(after(t.Context(), old), t, symbol, 1)
	before := r.readsOf(0)
	r.awaitReplay(t, successor, old)
	successor.CutOff(t)
	for n := range int64(200) { // the other replica gets ahead
		old = r.setPrice(t, other, n+1)
	}
	r.awaitReplay(t, left, old)
	c.primary.Kill(t)
	successor.Promote(t)

	token := r.setPrice(t, symbol, 2) // waits for the new primary
	require.Less(t, r.positionOf(t, token).lsn, r.replicas.all[0].replayed.Load(), "the new primary is not behind")
	eventually(t, func() bool { return r.replicas.timeline() == r.positionOf(t, token).timeline })
	for range 50 {
		r.replicas.all[0].leftOut.Store(0) // as if no check had left it out yet
		r.requirePrice(after(t.Context(), token), t, symbol, 2)
	}
	require.Positive(t, r.fallen(fallbackBehind), "no read was sent to the replica")
	r.requirePrice(after(t.Context(), old), t, symbol, 2)
	require.Positive(t, r.fallen(fallbackTimeline))
	require.Equal(t, before, r.readsOf(0))
	r.awaitUp(t, 0)

	// A replica of the new primary answers reads with its tokens.
	next := c.open(t, patient, both, successor.Standby(t).URL("postgres"))
	eventually(t, func() bool {
		next.requirePrice(after(t.Context(), token), t, symbol, 2)
		return next.readsOf(0) > 0
	})
}

func (r *replicated) positionOf(t testing.TB, token tpox.Token) position {
	t.Helper()
	p, ok := r.replicas.identity.position(token)
	require.True(t, ok)
	return p
}

// awaitReplay waits until a standby has replayed the write of a token.
func (r *replicated) awaitReplay(t testing.TB, standby *pgtest.Server, token tpox.Token) {
	t.Helper()
	standby.Await(t, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint >= $1", r.positionOf(t, token).lsn)
}

// A replica that is killed under load costs no client a failed read, and gets reads again when it is back.
func (c *cluster) killed(t *testing.T) {
	r := c.replicate(t, 2)
	var stop atomic.Bool
	var clients sync.WaitGroup
	t.Cleanup(func() { stop.Store(true); clients.Wait() })
	for n := range 8 {
		clients.Go(func() {
			for ; !stop.Load(); n++ {
				if _, err := r.GetOrder(within(context.Background(), 10*time.Second), orderID(r.d, int64(n)%100)); err != nil {
					t.Errorf("a read: %v", err)
				}
			}
		})
	}
	eventually(t, func() bool { return r.readsOf(0) > 100 && r.readsOf(1) > 100 })
	r.standbys[0].Kill(t)
	r.awaitUp(t, 1)
	dead, alive := r.readsOf(0), r.readsOf(1)
	eventually(t, func() bool { return r.readsOf(1) > alive+100 })
	require.LessOrEqual(t, r.readsOf(0), dead+8, "more than what was under way") // one running request of each client
	r.standbys[0].Again(t)
	r.awaitUp(t, 2)
	eventually(t, func() bool { return r.readsOf(0) > dead+100 })
}

// A read on a replica that hangs times out, and the primary answers it.
func (c *cluster) hangs(t *testing.T) {
	times := patient
	times.patience = 500 * time.Millisecond
	link := chaostest.NewProxy(t, "unix", c.standbys[0].Socket())
	r := c.open(t, times, c.primary.URL("postgres"), c.standbys[0].URLAt(link.Addr().String(), "postgres"))
	read := func() { require.NoError(t, errOf(r.GetSecurity(within(t.Context(), time.Hour), c.d.Symbol(0)))) }
	eventually(t, func() bool { read(); return r.readsOf(0) > 0 })
	link.Set(chaostest.Fault{Swallow: true})
	eventually(t, func() bool { read(); return !r.replicas.all[0].isUp() })
	before := r.primaryReads()
	read()
	require.Equal(t, before+1, r.primaryReads())
	link.Set(chaostest.Fault{})
	link.Cut()
	r.awaitUp(t, 1)
	before = r.readsOf(0)
	eventually(t, func() bool { read(); return r.readsOf(0) > before })
}

// A read that fails on a replica is left to the primary, with the reason counted; only a fault of the replica itself
// takes it out of the rotation.
func (c *cluster) fallbacks(t *testing.T) {
	r := c.replicate(t, 1)
	c.primary.Exec(t, "postgres", `CREATE FUNCTION fail(text) RETURNS text LANGUAGE plpgsql
		AS 'BEGIN RAISE EXCEPTION USING ERRCODE = $1; END'`)
	c.standbys[0].Await(t, "SELECT to_regproc('fail') IS NOT NULL")
	hour := tpox.Freshness{Within: time.Hour}
	ahead := r.replicas.identity.token(position{r.replicas.timeline(), 1 << 62})
	for name, failing := range map[string]struct {
		code   string
		f      tpox.Freshness
		reason string
		stays  bool
	}{
		"Query":    {"22012", hour, fallbackError, true},
		"Conflict": {serializationFailure, hour, fallbackError, true},
		"Shutdown": {adminShutdown, hour, fallbackError, false},
		"Foreign":  {"", tpox.Freshness{After: tpox.Token{1, 2, 3}}, fallbackTimeline, true},
		"TooFresh": {"", tpox.Freshness{Within: time.Nanosecond}, fallbackUnknown, true},
		"Ahead":    {"", tpox.Freshness{After: ahead}, fallbackBehind, true},
	} {
		r.awaitUp(t, 1)
		before := r.fallen(failing.reason)
		answered, err := r.replicas.read(tpox.WithFreshness(t.Context(), failing.f), failWith, []any{failing.code}, nil)
		require.False(t, answered, "%s: %v", name, err)
		require.Equal(t, before+1, r.fallen(failing.reason), name)
		require.Equal(t, failing.stays, r.replicas.all[0].isUp(), name)
	}
}

// A server that is no replica of the primary is refused at the start, in one line; TestServe_Replicas tries the
// primary itself. A replica that cannot be reached yet gets reads once it can. Reads without a condition on
// freshness, and those that only the primary can answer, are not sent to replicas.
func (c *cluster) start(t *testing.T) {
	primary, standby, foreign := c.primary, c.standbys[0], pgtest.Shared(t)
	primary.Exec(t, "postgres", "CREATE DATABASE another TEMPLATE template0")
	standby.Await(t, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'another')")
	url := standby.URL("postgres")
	for says, urls := range map[string][]string{
		"the server is no replica of the primary: its system identifier is":       {foreign.URL("postgres")},
		"the server is no replica of the primary: the URL names another database": {standby.URL("another")},
		"two replicas have the address":                                           {url, url},
		"replica 2: not the URL of a PostgreSQL database":                         {url, "postgres://a:b:c"},
	} {
		options := Options{Replicas: urls, Notice: func(text string) { t.Error(text) }}
		_, err := open(t.Context(), primary.URL("postgres"), options, hidden{timing: patient})
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "\n")
	}
	standby.Halt(t)
	s := openedWith(t, primary.URL("postgres"), Options{Replicas: []string{url}}, hidden{timing: patient})
	r := &replicated{s, c}
	ctx := within(t.Context(), time.Hour)
	require.NoError(t, errOf(r.GetSecurity(ctx, c.d.Symbol(0))))
	require.Equal(t, int64(1), r.fallen(fallbackNone))
	require.False(t, r.Stats().Replicas[0].Known)
	standby.Again(t)
	r.awaitUp(t, 1)
	require.NoError(t, errOf(r.GetSecurity(ctx, c.d.Symbol(0))))
	require.Equal(t, int64(1), r.readsOf(0))

	before := r.primaryReads()
	require.NoError(t, errOf(r.GetSecurity(t.Context(), c.d.Symbol(0))))
	require.NoError(t, r.Ready(ctx))
	require.NoError(t, errOf(r.Contents(ctx)))
	require.Equal(t, before+1, r.primaryReads())
	require.Equal(t, int64(1), r.readsOf(0))
}

// The token of a repeated write is a current one; a refused write has none.
func (c *cluster) tokens(t *testing.T) {
	r := c.replicate(t, 1)
	insert := func(id int64) (token tpox.Token, err error) {
		w := once()
		w.Token = &token
		_, err = r.InsertOrder(t.Context(), w, order(r.d, id))
		return token, err
	}
	first, err := insert(700_000_000_001)
	require.NoError(t, err)
	again, err := insert(700_000_000_001)
	require.NoError(t, err)
	require.GreaterOrEqual(t, r.positionOf(t, again).lsn, r.positionOf(t, first).lsn)
	for _, token := range []tpox.Token{first, again} {
		require.Equal(t, r.replicas.timeline(), r.positionOf(t, token).timeline)
		require.NoError(t, errOf(r.GetOrder(after(t.Context(), token), 700_000_000_001)))
	}

	var token tpox.Token
	w := now()
	w.Token = &token
	require.True(t, tpox.Is[*tpox.NotFound](r.DeleteOrder(t.Context(), w, 5)), "a single statement that finds no row")
	require.True(t, tpox.Is[*tpox.Conflict](errOf(r.InsertOrder(t.Context(), w, order(r.d, 700_000_000_001)))))
	require.True(t, tpox.Is[*tpox.NotFound](r.CloseAccount(t.Context(), w, 5, 5)))
	require.Zero(t, token)
}

// A history forgets the oldest positions.
func TestHistory(t *testing.T) {
	var h history
	began := time.Now()
	for i := range int64(2 * maxSamples) {
		h.add(began.Add(time.Duration(i)*time.Second), position{1, i})
	}
	require.LessOrEqual(t, len(h.samples), maxSamples)
	lsn, known := h.since(began.Add(1999 * maxSamples * time.Millisecond))
	require.True(t, known)
	require.Equal(t, int64(2*maxSamples-2), lsn)
}
