package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// A timing holds the intervals and timeouts of replicas. Tests set their own.
type timing struct {
	interval time.Duration // between two checks of each server; also the precision of Freshness.Within
	patience time.Duration // timeout of a check, and of a read before it is sent to the primary
	pause    time.Duration // how long a replica that has failed gets no reads
}

var defaultTiming = timing{interval: 200 * time.Millisecond, patience: 500 * time.Millisecond, pause: 2 * time.Second}

// replicas are the replicas of a store, and what is known of the primary's position in the log.
type replicas struct {
	store    *Store
	timing   timing
	identity identity // of the primary
	all      []*replica
	next     atomic.Uint64

	mu           sync.Mutex
	history      history
	primaryReads int64
	fallbacks    map[string]int64

	running sync.WaitGroup
}

// Why the primary answered a read that a replica might have answered, as labels of metrics.
const (
	fallbackBehind   = "behind"           // the replica had not replayed the position
	fallbackTimeline = "timeline"         // the token is of another timeline or another database
	fallbackUnknown  = "position_unknown" // no sample of the primary's position is as recent as the read requires
	fallbackNone     = "no_replica"       // no replica gets reads
	fallbackError    = "error"            // the read has failed on the replica
)

// openReplicas finds the primary's position, and checks each replica once. One that cannot be reached yet gets no reads
// until it can. A server that is no replica of the primary is an error.
func (s *Store) openReplicas(ctx context.Context) (err error) {
	r := &replicas{
		store: s, timing: cmp.Or(s.hidden.timing, defaultTiming),
		fallbacks: map[string]int64{
			fallbackBehind: 0, fallbackTimeline: 0, fallbackUnknown: 0, fallbackNone: 0, fallbackError: 0,
		},
	}
	s.replicas = r
	if r.identity, err = readIdentity(s.pool.QueryRow(ctx, statements["server_identity"])); err != nil {
		return err
	}
	if err := r.sample(ctx); err != nil {
		return err
	}
	for i, url := range s.options.Replicas {
		one, err := newReplica(ctx, r, url)
		if err != nil {
			return fmt.Errorf("replica %d: %w", i+1, err)
		}
		if r.all = append(r.all, one); slices.ContainsFunc(r.all[:i], func(r *replica) bool { return r.name == one.name }) {
			return fmt.Errorf("two replicas have the address %s", one.name)
		}
	}
	for _, one := range r.all {
		if err := r.bounded(ctx, one.pool.Ping); errors.Is(err, errStranger) {
			return fmt.Errorf("replica %s: %w", one.name, err)
		}
		_ = r.bounded(ctx, one.check) // one that cannot be reached yet gets no reads until it can
	}
	r.watch(r.sample)
	for _, one := range r.all {
		r.watch(one.check)
	}
	return nil
}

// bounded calls check with a deadline.
func (r *replicas) bounded(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, r.timing.patience)
	defer cancel()
	return check(ctx)
}

// watch calls check at each interval until the store is closed. While the primary cannot be reached, there are no new
// samples, and the age of the replicas' data grows.
func (r *replicas) watch(check func(context.Context) error) {
	r.running.Go(func() {
		for {
			select {
			case <-r.store.closed:
				return
			case <-time.After(r.timing.interval):
				_ = r.bounded(context.Background(), check) // the next one may succeed
			}
		}
	})
}

func (r *replicas) close() {
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
	if at.timeline != r.timeline() {
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

func (r *replicas) timeline() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.history.timeline
}

// read runs a query on a replica if its context allows that. If answered is false, the primary must run the query.
func (r *replicas) read(ctx context.Context, name string, args, into []any) (answered bool, err error) {
	var reason string
	if f := tpox.FreshnessOf(ctx); f != (tpox.Freshness{}) {
		if reason, err = r.try(ctx, f, name, args, into); reason == "" {
			return true, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.primaryReads++; reason != "" {
		r.fallbacks[reason]++
	}
	return false, nil
}

// try runs a query on one replica. If it returns a reason, the primary must run the query.
func (r *replicas) try(
	ctx context.Context, f tpox.Freshness, name string, args, into []any,
) (reason string, err error) {
	needs, reason := r.needs(f)
	if reason != "" {
		return reason, nil
	}
	from := r.choose(needs)
	if from == nil {
		return fallbackNone, nil
	}
	err = r.bounded(ctx, func(ctx context.Context) error { return from.queryRow(ctx, needs, name, args, into) })
	switch {
	case err == nil || noRows(err): // finding nothing is a valid result
		from.reads.Add(1)
		return "", err
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, errBehind):
		return fallbackBehind, nil
	case codeOf(err) == "" || isTransient(err) && !isConflict(err): // other errors are about the query
		from.leaveOut(err)
	}
	return fallbackError, nil
}

// needs returns the position that a replica must have replayed to answer with the requested freshness, or the reason
// why none can.
func (r *replicas) needs(f tpox.Freshness) (p position, reason string) {
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
	return p, ""
}

// choose returns the next replica that is known to have replayed a position, or else the one that has replayed most,
// or nil if none gets reads.
func (r *replicas) choose(needs position) (chosen *replica) {
	n := r.next.Add(1)
	for i := range r.all {
		one := r.all[(n+uint64(i))%uint64(len(r.all))] //nolint:gosec // an index
		switch {
		case !one.isUp():
		case one.replayed.Load() >= needs.lsn:
			return one
		case chosen == nil || one.replayed.Load() > chosen.replayed.Load():
			chosen = one
		}
	}
	return chosen
}

// tokenFrom returns the token of a committed write, from the row that write_position returned after it. If that
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
	stats.Fallbacks, stats.PrimaryReads = maps.Clone(r.fallbacks), r.primaryReads
}
