package sqlite

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// kindsOf returns the part of Stats that needs a census.
func kindsOf(t testing.TB, s *Store) map[string][2]int64 {
	t.Helper()
	all := make(map[string][2]int64)
	for _, k := range s.Stats().Kinds {
		require.True(t, k.Known)
		all[k.Kind] = [2]int64{k.Documents, k.Stored}
	}
	return all
}

// What is followed is what another count finds, after every kind of change and after changes that were refused.
func TestCensus_Follows(t *testing.T) {
	s := tinyStore(t)
	d, ctx := tiny, t.Context()
	require.False(t, s.Stats().Kinds[0].Known)
	require.NoError(t, s.Census(ctx))
	before := kindsOf(t, s)
	for _, k := range dataset.Kinds {
		require.Equal(t, d.Count(k), before[k.String()][0])
		require.Positive(t, before[k.String()][1])
	}

	const customer, newCustomer, newAccount, newOrder = 1002, 900001, 990000001, 990001
	account := func(id int64) []byte { return d.AppendNewAccount(nil, 1, dataset.NewAccount{ID: id}) }
	symbol := d.Symbol(3)
	longer := changed(t, d.Append(nil, dataset.Customer, 0), "</LastName>", strings.Repeat("x", 50)+"</LastName>")
	refused := func(_ brokerage.ID, err error) error {
		require.ErrorAs(t, err, new(*brokerage.Conflict))
		return nil
	}
	for _, change := range []struct {
		name      string
		kind      kind
		documents int64
		do        func() error
	}{
		{"InsertOrder", orders, 1, func() error { insert(t, s, newOrder); return nil }},
		{"InsertOrder/Refused", orders, 0, func() error { return refused(s.InsertOrder(ctx, now(), order(newOrder))) }},
		{"UpdateOrderStatus", orders, 0, func() error {
			_, err := s.UpdateOrderStatus(ctx, now(), newOrder, "4")
			return err
		}},
		{"DeleteOrder", orders, -1, func() error { return s.DeleteOrder(ctx, now(), newOrder) }},
		{"InsertCustomer", customers, 1, func() error {
			doc := d.AppendNewCustomer(nil, 5, dataset.NewCustomer{ID: newCustomer, Accounts: []int64{newAccount}})
			_, err := s.InsertCustomer(ctx, now(), doc, true)
			return err
		}},
		{"ReplaceCustomer", customers, 0, func() error {
			return s.ReplaceCustomer(ctx, now(), customer, longer, true, nil)
		}},
		{"OpenAccount", customers, 0, func() error {
			_, err := s.OpenAccount(ctx, now(), customer, account(newAccount+1))
			return err
		}},
		{"OpenAccount/Refused", customers, 0, func() error {
			return refused(s.OpenAccount(ctx, now(), customer, account(newAccount)))
		}},
		{"DeleteCustomer", customers, -1, func() error { return s.DeleteCustomer(ctx, now(), newCustomer) }},
		{"UpdateSecurityPrice", securities, 0, func() error {
			_, err := s.UpdateSecurityPrice(ctx, now(), symbol, brokerage.Price{LastTrade: "12345.25"})
			return err
		}},
		{"ReplaceSecurity", securities, 0, func() error {
			return s.ReplaceSecurity(ctx, now(), symbol, d.Append(nil, dataset.Security, 3), true, nil)
		}},
	} {
		t.Run(change.name, func(t *testing.T) {
			before := kindsOf(t, s)
			require.NoError(t, change.do())
			followed := kindsOf(t, s)
			require.Equal(t, change.documents, followed[string(change.kind)][0]-before[string(change.kind)][0])
			require.NoError(t, s.Census(ctx))
			require.Equal(t, kindsOf(t, s), followed)
		})
	}
}

// A group that fails as a whole has changed nothing.
func TestCensus_FailedGroup(t *testing.T) {
	s := tinyStore(t)
	require.NoError(t, s.Census(t.Context()))
	before := kindsOf(t, s)
	err := s.writer.write(context.Background(), func(tx *transaction) error {
		require.NoError(t, tx.insertRow(990002))
		return errors.New("after a change only the whole group can be rolled back")
	})
	require.Error(t, err)
	require.Equal(t, before, kindsOf(t, s))
}

func TestCensus_Ends(t *testing.T) {
	s := tinyStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, s.Census(ctx))
	require.False(t, s.Stats().Kinds[0].Known)
}
