package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A timing has the intervals and bounds of replicas. Tests have others.
type timing struct {
	interval time.Duration // between two checks of each server; also the precision of Freshness.Within
	timeout  time.Duration // of a check
	patience time.Duration // how long a read waits for a replica before it is sent to the primary
	pause    time.Duration // how long a replica that has failed gets no reads
	// maxLag is how old the data of a replica may be for it to get a read that it may not be able to answer: one with a
	// token that it is not known to have replayed.
	maxLag time.Duration
}

var defaultTiming = timing{
	interval: 200 * time.Millisecond, timeout: time.Second, patience: 500 * time.Millisecond,
	pause: 2 * time.Second, maxLag: time.Second,
}

// replicas are the replicas of a store, and what it knows of the primary's position in the log.
type replicas struct {
	store    *Store
	timing   timing
	identity identity // of the primary
	all      []*replica
	next     atomic.Uint64

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

// openReplicas finds the primary's position, and checks each replica once. One that cannot be reached yet gets no reads
// until it can. A server that is no replica of the primary is an error.
func openReplicas(ctx context.Context, s *Store, urls []string) (*replicas, error) {
	r := &replicas{store: s, timing: s.hidden.timing}
	if r.timing == (timing{}) {
		r.timing = defaultTiming
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	if err := r.open(ctx, urls); err != nil {
		r.close()
		return nil, err
	}
	r.running.Go(func() { r.watch(watching, r.sample) })
	for _, one := range r.all {
		r.running.Go(func() { r.watch(watching, one.check) })
	}
	return r, nil
}

func (r *replicas) open(ctx context.Context, urls []string) (err error) {
	if r.identity, err = readIdentity(r.store.pool.QueryRow(ctx, statements["server_identity"])); err != nil {
		return err
	}
	if err := r.sample(ctx); err != nil {
		return err
	}
	for i, url := range urls {
		one, err := newReplica(ctx, r, url)
		if err != nil {
			return fmt.Errorf("replica %d: %w", i+1, err)
		}
		if r.all = append(r.all, one); slices.ContainsFunc(r.all[:i], func(r *replica) bool { return r.name == one.name }) {
			return fmt.Errorf("two replicas have the address %s", one.name)
		}
	}
	for _, one := range r.all {
		bounded, cancel := context.WithTimeout(ctx, r.timing.timeout)
		conn, err := one.pool.Acquire(bounded)
		if stranger, ok := errors.AsType[*strangerError](err); ok {
			cancel()
			return stranger
		}
		if err == nil {
			conn.Release()
		}
		_ = one.check(bounded) // one that cannot be reached yet gets no reads until it can
		cancel()
	}
	return nil
}

// watch checks a server until ctx is done. While the primary cannot be reached, the age of the replicas' data
// counts as growing.
func (r *replicas) watch(ctx context.Context, check func(context.Context) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.timing.interval):
		}
		bounded, cancel := context.WithTimeout(ctx, r.timing.timeout)
		_ = check(bounded) // the next one may succeed
		cancel()
	}
}

func (r *replicas) close() {
	r.closing.Store(true)
	r.stop()
	r.running.Wait()
	for _, one := range r.all {
		one.pool.Close()
	}
}

// sample reads the primary's position, and writes the mark for a new timeline.
func (r *replicas) sample(ctx context.Context) error {
	began := time.Now() // every write acknowledged before now is before the position
	at, err := readPosition(r.store.pool.QueryRow(ctx, statements["write_position"]))
	if err != nil {
		return err
	}
	r.mu.Lock()
	known := r.history.timeline
	r.mu.Unlock()
	if at.timeline != known {
		_, err := r.store.pool.Exec(ctx, statements["keep_answer"], 0, markClient, markKey, make([]byte, 32),
			fmt.Appendf(nil, "%08X", at.timeline), markExpires)
		if err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history.add(began, at)
	return nil
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
		lsn, ok := r.history.since(time.Now().Add(-f.Within))
		if !ok {
			return p, fallbackUnknown
		}
		p.lsn = max(p.lsn, lsn)
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
	if f := tpox.FreshnessOf(ctx); f != (tpox.Freshness{}) {
		needs, reason := r.needs(f)
		if reason == noFallback {
			reason, err = r.try(ctx, needs, do)
		}
		if reason == noFallback {
			return true, err
		}
		r.fallbacks[reason].Add(1)
	}
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
	p, err := readPosition(row)
	if err != nil {
		p = position{}
	}
	return r.identity.token(p)
}

// stats adds the figures of the replicas.
func (r *replicas) stats(stats *store.Stats) {
	r.mu.Lock()
	defer r.mu.Unlock()
	primary := r.history.samples[len(r.history.samples)-1].lsn
	for _, one := range r.all {
		lsn := one.replayed.Load()
		of := store.ReplicaStats{Name: one.name, Reads: one.reads.Load(), InRotation: one.isUp(), Known: lsn > 0}
		if of.Known {
			of.LagBytes, of.Age = max(primary-lsn, 0), r.history.age(lsn)
		}
		stats.Replicas = append(stats.Replicas, of)
	}
	stats.Fallbacks = make(map[string]int64)
	for i, name := range fallbackNames[1:] {
		stats.Fallbacks[name] = r.fallbacks[i+1].Load()
	}
	stats.PrimaryReads = r.primaryReads.Load()
}
