package null

import (
	"context"
	"errors"
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
	leases   map[string]*atomic.Int64 // the next id by kind; the map never changes
	closed   atomic.Bool
}

var _ tpox.Store = (*Store)(nil)

// Open makes the answers, which takes some milliseconds.
func Open() (*Store, error) {
	scale, err := dataset.ParseScale("XXXS")
	if err != nil {
		return nil, err
	}
	d := dataset.New(dataset.Spec{Scale: scale, Profile: dataset.TPoX2, Seed: 1})
	answers, account, err := answersOf(d)
	if err != nil {
		return nil, err
	}
	id, err := tpox.AccountKeyOf(account.Document)
	if err != nil {
		return nil, err
	}
	contents := store.ContentsOf(d)
	contents.Fingerprint = "null/" + contents.Fingerprint
	return &Store{
		answers:  answers,
		account:  account,
		quote:    tradedSecurity(d, id),
		contents: contents,
		leases: map[string]*atomic.Int64{
			"order":    from(d.ID(dataset.Order, d.Count(dataset.Order))),
			"customer": from(d.ID(dataset.Customer, d.Count(dataset.Customer))),
			"account":  from(d.FirstAccount(d.Count(dataset.Customer))),
		},
	}, nil
}

func from(first int64) *atomic.Int64 {
	next := new(atomic.Int64)
	next.Store(first)
	return next
}

var faithful = tpox.FidelityBy(func(*tpox.Transaction) tpox.Fidelity { return tpox.NothingStored })

// Describe returns an engine that keeps nothing.
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
	next := s.leases[kind]
	for {
		first := next.Load()
		if first > tpox.LastLease(count) {
			return tpox.Range{}, tpox.NoIDsLeft(kind, count)
		}
		if next.CompareAndSwap(first, first+count) {
			return tpox.Range{First: tpox.ID(first), Count: count}, nil
		}
	}
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
