package null

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Store answers from memory; see the package comment.
type Store struct {
	answers  map[string][]byte // never changes
	account  tpox.Account      // every account
	quote    tpox.Quote        // of every security in a trade
	contents tpox.Contents
	closed   atomic.Bool

	mu   sync.Mutex
	next map[string]int64 // with which the next leases begin, by kind
}

var _ tpox.Store = (*Store)(nil)

// Open makes the answers, which takes some milliseconds.
func Open() *Store {
	d := dataset.New(dataset.Spec{Scale: must(dataset.ParseScale("XXXS")), Profile: dataset.TPoX2, Seed: 1})
	s := &Store{contents: store.ContentsOf(d), next: map[string]int64{
		"order":    d.ID(dataset.Order, d.Count(dataset.Order)),
		"customer": d.ID(dataset.Customer, d.Count(dataset.Customer)),
		"account":  d.FirstAccount(d.Count(dataset.Customer)),
	}}
	s.contents.Fingerprint = "null/" + s.contents.Fingerprint
	s.makeAnswers(d)
	return s
}

var faithful = tpox.FidelityBy(func(*tpox.Transaction) tpox.Fidelity { return tpox.NothingStored })

// Describe returns the description of an engine that keeps nothing.
func (s *Store) Describe() tpox.EngineInfo {
	return tpox.EngineInfo{Name: "null", Version: "1", Durability: tpox.Forgetful, Faithful: faithful}
}

// Contents returns the dataset that the store claims to hold.
func (s *Store) Contents(ctx context.Context) (tpox.Contents, error) {
	if err := ctx.Err(); err != nil {
		return tpox.Contents{}, err
	}
	return s.contents, nil
}

// Lease hands out ids above those of the dataset.
func (s *Store) Lease(ctx context.Context, kind string, count int64) (tpox.Range, error) {
	if err := ctx.Err(); err != nil {
		return tpox.Range{}, err
	}
	if err := tpox.CheckLease(kind, count); err != nil {
		return tpox.Range{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.next[kind]
	if first > tpox.LastLease(count) {
		return tpox.Range{}, tpox.NoIDsLeft(kind, count)
	}
	s.next[kind] = first + count
	return tpox.Range{First: tpox.ID(first), Count: count}, nil
}

// Ready returns *tpox.Unavailable after Close.
func (s *Store) Ready(ctx context.Context) error {
	if s.closed.Load() {
		return &tpox.Unavailable{Cause: errors.New("the store is closed")}
	}
	return ctx.Err()
}

// Close makes Ready return an error. All other methods keep working. It never fails.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}
