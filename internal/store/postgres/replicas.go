package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// replicas are the replicas of a store, and what it knows of the primary's position in the log.
type replicas struct {
	store    *Store
	timing   timing
	identity identity // of the primary
	all      []*replica
	next     atomic.Uint64
	primary  probe

	mu      sync.Mutex
	history history

	primaryReads atomic.Int64
	fallbacks    [len(fallbackNames)]atomic.Int64

	closing atomic.Bool
	stop    context.CancelFunc
	running sync.WaitGroup
}

// A fallback is why the primary answered a read that a replica might have answered.
type fallback int

const (
	noFallback       fallback = iota
	fallbackBehind            // the replica had not replayed the position
	fallbackTimeline          // the token is of another timeline or another database
	fallbackUnknown           // the primary's position at that time is not known: every later sample has failed
	fallbackNone              // no replica could answer
	fallbackConflict          // the replica cancelled the query, because it was in the way of the replay
	fallbackTimeout           // the replica did not answer in time
	fallbackError             // any other error of the replica
)

// fallbackNames are the reasons as labels of metrics; the first is never used.
var fallbackNames = [...]string{"", "behind", "timeline", "position_unknown", "no_replica", "conflict", "timeout",
	"error"}

// openReplicas finds the primary's position, and waits a moment for each replica. One that cannot be reached yet gets
// no reads until it can. A server that is no replica of the primary is an error.
func openReplicas(ctx context.Context, s *Store, urls []string) (*replicas, error) {
	r := &replicas{store: s, timing: s.options.timing, stop: func() {}}
	if r.timing == (timing{}) {
		r.timing = defaultTiming
	}
	if err := r.open(ctx, urls); err != nil {
		r.close()
		return nil, err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.running.Go(func() { r.watch(watching) })
	for _, one := range r.all {
		r.running.Go(func() { one.watch(watching) })
	}
	return r, nil
}

func (r *replicas) open(ctx context.Context, urls []string) error {
	r.primary = newProbe(r.store.pool.Config().ConnConfig, func(context.Context, *pgx.Conn) error { return nil })
	err := r.primary.do(ctx, func(conn *pgx.Conn) (err error) {
		r.identity, err = readIdentity(conn.QueryRow(ctx, statements["server_identity"]))
		return err
	})
	if err == nil {
		err = r.sample(ctx)
	}
	if err != nil {
		return err
	}
	for _, url := range urls {
		one, err := newReplica(ctx, r, url)
		if err != nil {
			return fmt.Errorf("replica %d: %w", len(r.all)+1, err)
		}
		r.all = append(r.all, one)
		if slices.ContainsFunc(r.all[:len(r.all)-1], func(other *replica) bool { return other.name == one.name }) {
			return fmt.Errorf("two replicas have the address %s", one.name)
		}
	}
	return r.begin(ctx)
}

// begin checks all replicas once.
func (r *replicas) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.timing.start)
	defer cancel()
	errs := make([]error, len(r.all))
	var running sync.WaitGroup
	for i, one := range r.all {
		running.Go(func() {
			// A mark that was made just now takes a moment to arrive.
			for errs[i] = one.check(ctx); isOtherTimeline(errs[i]) && ctx.Err() == nil; errs[i] = one.check(ctx) {
				time.Sleep(r.timing.interval / 10)
			}
		})
	}
	running.Wait()
	for i, err := range errs {
		one := r.all[i]
		if stranger, ok := errors.AsType[*strangerError](err); ok {
			return stranger
		}
		if err != nil {
			one.leaveOut(err)
		}
	}
	return nil
}

func (r *replicas) close() {
	r.closing.Store(true)
	r.stop()
	r.running.Wait()
	for _, one := range r.all {
		one.close()
	}
	r.primary.close()
}

// watch samples the primary's position until ctx is done. While that fails, the age of the replicas' data counts as
// growing.
func (r *replicas) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.timing.interval):
		}
		bounded, cancel := context.WithTimeout(ctx, r.timing.timeout)
		_ = r.sample(bounded) // the next one may succeed
		cancel()
	}
}

// sample reads the primary's position, and writes the mark for a new timeline.
func (r *replicas) sample(ctx context.Context) error {
	began := time.Now() // every write acknowledged before now is before the position
	return r.primary.do(ctx, func(conn *pgx.Conn) error {
		var b pgx.Batch
		b.Queue(statements["write_position"])
		b.Queue(statements["replica_state"], markClient, markKey)
		results := conn.SendBatch(ctx, &b)
		at, err := r.identity.readPosition(results.QueryRow())
		var marked replayed
		if err == nil {
			marked, err = readState(results.QueryRow())
		}
		if closed := results.Close(); err == nil {
			err = closed
		}
		if err == nil && marked.timeline != at.timeline {
			_, err = conn.Exec(ctx, statements["keep_answer"], 0, markClient, markKey, make([]byte, 32),
				fmt.Appendf(nil, "%08X", at.timeline), markExpires)
		}
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.history.add(began, at)
		return nil
	})
}

func (r *replicas) timeline() uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.history.timeline
}

// age returns how old data up to a position may be.
func (r *replicas) age(lsn uint64) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.history.reached(lsn)
	if !ok {
		at = r.history.samples[0].at // older than every sample
	}
	return time.Since(at)
}

// needs returns the position that a replica must have replayed to answer with the requested freshness, or the reason
// why none can.
func (r *replicas) needs(f tpox.Freshness) (p position, reason fallback) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.timeline = r.history.timeline
	if f.After != (tpox.Token{}) {
		after, ok := r.identity.position(f.After)
		if !ok || after.timeline != p.timeline {
			return p, fallbackTimeline
		}
		p.lsn = after.lsn
	}
	if f.Within > 0 {
		within, ok := r.history.since(time.Now().Add(-f.Within))
		if !ok {
			return p, fallbackUnknown
		}
		p.lsn = max(p.lsn, within.lsn)
	}
	return p, noFallback
}

// choose returns the next replica that is known to have replayed a position, or else the next that may have since, or
// nil.
func (r *replicas) choose(needs position) (chosen *replica) {
	n := r.next.Add(1)
	for i := range r.all {
		one := r.all[(n+uint64(i))%uint64(len(r.all))] //nolint:gosec // an index
		switch {
		case !one.isUp():
		case one.replayed.Load() >= needs.lsn:
			return one
		case chosen == nil && one.recent.Load():
			chosen = one
		}
	}
	return chosen
}

// read runs a read on a replica if its context allows that. It reports whether a replica has answered; if none has, the
// read is for the primary. do returns errBehind where the replica has not replayed the position.
func (r *replicas) read(
	ctx context.Context, do func(ctx context.Context, from *replica, needs position) error,
) (answered bool, err error) {
	f := tpox.FreshnessOf(ctx)
	if f == (tpox.Freshness{}) {
		r.primaryReads.Add(1)
		return false, nil
	}
	needs, reason := r.needs(f)
	if reason == noFallback {
		if reason, err = r.try(ctx, needs, do); reason == noFallback {
			return true, err
		}
	}
	r.fallbacks[reason].Add(1)
	r.primaryReads.Add(1)
	return false, nil
}

// try runs a read on one replica. With a reason to fall back, there is no answer.
func (r *replicas) try(
	ctx context.Context, needs position, do func(ctx context.Context, from *replica, needs position) error,
) (reason fallback, err error) {
	from := r.choose(needs)
	if from == nil {
		return fallbackNone, nil
	}
	bounded, cancel := context.WithTimeout(ctx, r.timing.patience)
	defer cancel()
	err = do(bounded, from, needs)
	switch {
	case err == nil || noRows(err): // an answer that nothing was found is an answer
		from.reads.Add(1)
		return noFallback, err
	case ctx.Err() != nil:
		return noFallback, ctx.Err()
	case errors.Is(err, errBehind):
		return fallbackBehind, nil
	case isConflict(err):
		return fallbackConflict, nil
	case bounded.Err() != nil:
		from.leaveOut(errors.New("it did not answer in time"))
		return fallbackTimeout, nil
	}
	if codeOf(err) == "" || isTransient(err) { // other errors are about the query
		from.leaveOut(err)
	}
	return fallbackError, nil
}

// tokenFrom returns the token of a committed write, from the answer of the statement write_position after it. If that
// statement has failed, the token is one that only the primary fulfils.
func (r *replicas) tokenFrom(row pgx.Row) tpox.Token {
	p, err := r.identity.readPosition(row)
	if err != nil {
		p = position{}
	}
	return r.identity.token(p)
}

// stats returns the figures of the replicas.
func (r *replicas) stats() (all []store.ReplicaStats, fallbacks map[string]int64) {
	r.mu.Lock()
	primary := r.history.samples[len(r.history.samples)-1].lsn
	r.mu.Unlock()
	for _, one := range r.all {
		lsn := one.replayed.Load()
		stats := store.ReplicaStats{Name: one.name, Reads: one.reads.Load(), InRotation: one.isUp()}
		if stats.Known = lsn > 0; stats.Known {
			stats.LagBytes = int64(max(primary, lsn) - lsn) //nolint:gosec // far below
			stats.Age = r.age(lsn)
		}
		all = append(all, stats)
	}
	fallbacks = make(map[string]int64)
	for i, name := range fallbackNames[1:] {
		fallbacks[name] = r.fallbacks[i+1].Load()
	}
	return all, fallbacks
}

// address returns host and port of a server, for messages and metrics.
func address(config *pgx.ConnConfig) string {
	if strings.HasPrefix(config.Host, "/") {
		return config.Host
	}
	return net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}
