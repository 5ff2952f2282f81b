package postgres

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/store/storetest"
)

// through is a store each of whose reads sends the newest token of its writes, so that replicas may answer.
type through struct {
	*Store
	url string

	mu     sync.Mutex
	newest brokerage.Token
}

// takes lets a write return its token. Call the returned function when the write is done.
func (s *through) takes(w *brokerage.Write) (done func()) {
	token := new(brokerage.Token)
	w.Token = token
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if bytes.Compare(token[:], s.newest[:]) > 0 { // those of one timeline are ordered
			s.newest = *token
		}
	}
}

func (s *through) fresh(ctx context.Context) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == (brokerage.Token{}) { // before the first write
		return within(ctx, time.Hour)
	}
	return after(ctx, s.newest)
}

// The conformance suite, with each read on a replica that has replayed the write before it, or else on the primary.
func TestStore_Replicas(t *testing.T) {
	if *checks < allChecks {
		t.Skipf("runs the conformance suite a second time; -args -checks %d includes it", allChecks)
	}
	server := pgtest.Shared(t)
	standby := server.Standby(t, "max_connections=300")
	var byReplica, byPrimary int64
	open := func(t testing.TB, database string, rules brokerage.Rules) brokerage.Store {
		times := patient
		times.start = 100 * time.Millisecond // the standby does not have the new database yet
		// The server does not wait for a flush; a replica gets only what is flushed.
		s := opened(t, server.URL(database)+"&synchronous_commit=on", Options{
			Rules: rules, Replicas: []string{standby.URL(database)}, timing: times,
		})
		t.Cleanup(func() {
			byReplica += s.replicas.all[0].reads.Load()
			byPrimary += s.replicas.primaryReads.Load()
		})
		eventually(t, func() bool { return s.replicas.all[0].up.Load() })
		return &through{Store: s, url: database}
	}
	storetest.Run(t, storetest.Options{
		Open: func(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) brokerage.Store {
			return open(t, server.Clone(t, template(t, d, "")), rules)
		},
		Reopen: func(t testing.TB, s brokerage.Store) brokerage.Store {
			old := s.(*through)
			require.NoError(t, s.Close())
			return open(t, old.url, old.options.Rules)
		},
	})
	require.Positive(t, byReplica)
	t.Logf("reads: %d by the replica, %d by the primary", byReplica, byPrimary)
}

func (s *through) GetOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.Store.GetOrder(s.fresh(ctx), id)
}

func (s *through) CustomerMaxOrder(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.Store.CustomerMaxOrder(s.fresh(ctx), id)
}

func (s *through) GetCustomer(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.Store.GetCustomer(s.fresh(ctx), id)
}

func (s *through) CustomerProfile(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.Store.CustomerProfile(s.fresh(ctx), id)
}

func (s *through) AccountSummary(ctx context.Context, id brokerage.ID) ([]byte, error) {
	return s.Store.AccountSummary(s.fresh(ctx), id)
}

func (s *through) GetAccount(ctx context.Context, account brokerage.ID) (brokerage.Account, error) {
	return s.Store.GetAccount(s.fresh(ctx), account)
}

func (s *through) GetSecurity(ctx context.Context, symbol string) ([]byte, error) {
	return s.Store.GetSecurity(s.fresh(ctx), symbol)
}

func (s *through) SecurityPrice(ctx context.Context, symbol string) ([]byte, error) {
	return s.Store.SecurityPrice(s.fresh(ctx), symbol)
}

func (s *through) SearchSecurities(ctx context.Context, search brokerage.Search) ([]byte, error) {
	return s.Store.SearchSecurities(s.fresh(ctx), search)
}

func (s *through) InsertOrder(ctx context.Context, w brokerage.Write, doc []byte) (brokerage.ID, error) {
	defer s.takes(&w)()
	return s.Store.InsertOrder(ctx, w, doc)
}

func (s *through) UpdateOrderStatus(
	ctx context.Context, w brokerage.Write, id brokerage.ID, stat string,
) ([]byte, error) {
	defer s.takes(&w)()
	return s.Store.UpdateOrderStatus(ctx, w, id, stat)
}

func (s *through) DeleteOrder(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	defer s.takes(&w)()
	return s.Store.DeleteOrder(ctx, w, id)
}

func (s *through) InsertCustomer(
	ctx context.Context, w brokerage.Write, doc []byte, validate bool,
) (brokerage.ID, error) {
	defer s.takes(&w)()
	return s.Store.InsertCustomer(ctx, w, doc, validate)
}

func (s *through) ReplaceCustomer(
	ctx context.Context, w brokerage.Write, id brokerage.ID, doc []byte, validate bool, match brokerage.Match,
) error {
	defer s.takes(&w)()
	return s.Store.ReplaceCustomer(ctx, w, id, doc, validate, match)
}

func (s *through) DeleteCustomer(ctx context.Context, w brokerage.Write, id brokerage.ID) error {
	defer s.takes(&w)()
	return s.Store.DeleteCustomer(ctx, w, id)
}

func (s *through) OpenAccount(
	ctx context.Context, w brokerage.Write, customer brokerage.ID, account []byte,
) (brokerage.ID, error) {
	defer s.takes(&w)()
	return s.Store.OpenAccount(ctx, w, customer, account)
}

func (s *through) CloseAccount(ctx context.Context, w brokerage.Write, customer, account brokerage.ID) error {
	defer s.takes(&w)()
	return s.Store.CloseAccount(ctx, w, customer, account)
}

func (s *through) Trade(
	ctx context.Context, w brokerage.Write, account brokerage.ID, trade brokerage.Trade,
) ([]byte, error) {
	defer s.takes(&w)()
	return s.Store.Trade(ctx, w, account, trade)
}

func (s *through) UpdateSecurityPrice(
	ctx context.Context, w brokerage.Write, symbol string, p brokerage.Price,
) ([]byte, error) {
	defer s.takes(&w)()
	return s.Store.UpdateSecurityPrice(ctx, w, symbol, p)
}

func (s *through) ReplaceSecurity(
	ctx context.Context, w brokerage.Write, symbol string, doc []byte, validate bool, match brokerage.Match,
) error {
	defer s.takes(&w)()
	return s.Store.ReplaceSecurity(ctx, w, symbol, doc, validate, match)
}
