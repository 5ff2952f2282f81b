package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// A transaction on two documents: it moves cash from one account to another.
const (
	lockCustomersOfAccounts    = "lock_customers_of_accounts"
	lockCustomersOfAccountsSQL = `SELECT a.account, (c.keys).id, XMLSERIALIZE(CONTENT c.doc AS text)
FROM brokerage.accounts AS a
JOIN brokerage.customers AS c ON (c.keys).id = a.customer
WHERE a.account = ANY($1) AND octet_length(c.doc::text) <= $2
ORDER BY (c.keys).id
FOR UPDATE OF c`
)

var errNoMoney = &tpox.Conflict{Reason: tpox.NotCovered, Detail: "the money is not there"}

type lockedAccount struct {
	Account, Customer tpox.ID
	Doc               []byte
}

func transferCash(ctx context.Context, s *Store, w tpox.Write, from, to tpox.ID, amount int) ([]byte, error) {
	accounts := []tpox.ID{from, to}
	var locked []lockedAccount
	lock := query{
		statement: lockCustomersOfAccounts, args: []any{accounts},
		collect: func(rows pgx.Rows) (err error) {
			locked, err = pgx.CollectRows(rows, pgx.RowToStructByPos[lockedAccount])
			if err == nil && len(locked) < len(accounts) {
				err = pgx.ErrNoRows
			}
			return err
		},
	}
	return s.write(ctx, w, []query{lock}, func() (change, error) {
		docs := make(map[tpox.ID][]byte)
		owners := make(map[tpox.ID]tpox.ID)
		for _, l := range locked {
			docs[l.Customer], owners[l.Account] = l.Doc, l.Customer
		}
		for i, account := range accounts {
			owner, ok := owners[account]
			if !ok {
				return change{}, tpox.NoAccount(account)
			}
			balance := cashOf(docs[owner], account) + amount*(2*i-1)
			if balance < 0 {
				return change{}, errNoMoney
			}
			docs[owner] = withCash(docs[owner], account, balance)
		}
		var all []change
		for owner, doc := range docs {
			all = append(all, change{statement: "replace_customer", args: []any{owner, doc}})
		}
		c := all[0]
		c.more, c.answer = all[1:], fmt.Appendf(nil, "<Transfer>%d</Transfer>", amount)
		return c, nil
	})
}

// cash returns an expression that finds the balance of an account in its customer's document.
func cash(account tpox.ID) *regexp.Regexp {
	return regexp.MustCompile(`(?s)(<Account id="` + account.String() + `">.*?<OnlineActualBal>)([^<]*)`)
}

func cashOf(doc []byte, account tpox.ID) int {
	n, err := strconv.Atoi(string(cash(account).FindSubmatch(doc)[2]))
	if err != nil {
		panic(err) // the test writes whole numbers
	}
	return n
}

func withCash(doc []byte, account tpox.ID, balance int) []byte {
	return cash(account).ReplaceAll(doc, fmt.Appendf(nil, "${1}%d", balance))
}

// saved is the balance of each account of savers.
const saved = 40

// savers inserts two customers with two accounts each. The first pair of accounts is in the order of the customers and
// the second is not, so that transactions that lock by account wait for each other.
func savers(t *testing.T, s *Store, d *dataset.Dataset) (customers [2]tpox.ID, pairs [2][2]tpox.ID) {
	t.Helper()
	customers = [...]tpox.ID{630_000_000_001, 630_000_000_002}
	pairs = [...][2]tpox.ID{{630_000_000_010, 630_000_000_020}, {630_000_000_021, 630_000_000_011}}
	for i, id := range customers {
		doc := customer(d, int64(id), int64(pairs[0][i]), int64(pairs[1][i]))
		for _, pair := range pairs {
			doc = withCash(doc, pair[i], saved)
		}
		insertCustomer(t, s, doc, true)
	}
	return customers, pairs
}

// Accounts of two customers pay each other concurrently, in both directions, while other clients write to one of them:
// there is no deadlock, not a cent is lost, and refused payments change nothing.
func TestWrite_TwoDocuments(t *testing.T) {
	s, d, _, _ := tiny(t)
	customers, pairs := savers(t, s, d)
	var all sync.WaitGroup
	var refused atomic.Int64
	var paid [2]atomic.Int64 // by the first of each pair to the second
	for i := range 16 {
		pair, from := i%2, i/2%2
		all.Go(func() {
			for range 20 {
				_, err := transferCash(t.Context(), s, now(), pairs[pair][from], pairs[pair][1-from], 7)
				switch {
				case err == nil:
					paid[pair].Add(int64(7 - 14*from))
				case errors.Is(err, errNoMoney):
					refused.Add(1)
				default:
					t.Errorf("transfer: %v", err)
				}
				if i < 4 {
					trade := tpox.Trade{Side: tpox.Sell, Symbol: d.Symbol(1), Quantity: "1", Now: time.Now()}
					if _, err := s.Trade(t.Context(), now(), pairs[pair][from], trade); err == nil {
						t.Error("what is not held was sold")
					}
				}
			}
		})
	}
	all.Wait()
	require.Zero(t, s.retries.Load(), "deadlocks are retried")
	require.Positive(t, refused.Load())
	for i, id := range customers {
		doc, err := s.GetCustomer(t.Context(), id)
		require.NoError(t, err)
		for p, pair := range pairs {
			require.EqualValues(t, saved+paid[p].Load()*int64(2*i-1), cashOf(doc, pair[i]))
		}
	}
	require.Empty(t, verified(t, s))
}

// A transaction on two documents recognises large ones, names missing ones, stores its answer and runs once.
func TestWrite_TwoDocumentsOnce(t *testing.T) {
	s, d, _, _ := tiny(t)
	customers, pairs := savers(t, s, d)
	accounts := pairs[0]
	balance := func(i int) int {
		doc, err := s.GetCustomer(t.Context(), customers[i])
		require.NoError(t, err)
		return cashOf(doc, accounts[i])
	}
	w := once()
	for range 2 {
		answer, err := transferCash(t.Context(), s, w, accounts[0], accounts[1], 15)
		require.NoError(t, err)
		require.Equal(t, "<Transfer>15</Transfer>", string(answer))
		require.Equal(t, []int{25, 55}, []int{balance(0), balance(1)})
	}
	_, err := transferCash(t.Context(), s, now(), accounts[0], 1, 1)
	require.Equal(t, tpox.NoAccount(1), err)
	require.ErrorIs(t, errOf(transferCash(t.Context(), s, now(), accounts[0], accounts[1], 26)), errNoMoney)

	doc, err := s.GetCustomer(t.Context(), customers[1])
	require.NoError(t, err)
	long := strings.Replace(string(doc), "<FirstName>", "<FirstName>"+strings.Repeat("a", largeBytes), 1)
	require.NoError(t, s.ReplaceCustomer(t.Context(), now(), customers[1], []byte(long), true, nil))
	require.NoError(t, errOf(transferCash(t.Context(), s, now(), accounts[1], accounts[0], 5)))
	require.Equal(t, []int{30, 50}, []int{balance(0), balance(1)})
	require.NoError(t, errOf(transferCash(t.Context(), s, now(), accounts[0], accounts[0], 30)))
	require.Equal(t, 30, balance(0), "from an account to itself")
}
