package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// greedyClients are the connections that write the largest documents as fast as they can, and greedyCustomers how many
// customers they write.
const (
	greedyClients   = 16
	greedyCustomers = 4
)

// While greedy clients trade for customers of the largest size or replace them, others insert orders in at most ten
// times the time that they take alone, and 99 % of them in less than a second.
func TestHostile_Greedy(t *testing.T) {
	chaosMode(t)
	d := dataset.New(dataset.Spec{Seed: 1})
	trade := fmt.Sprintf(`<Trade xmlns=%q><Symbol>%s</Symbol><Quantity>1</Quantity></Trade>`, tpox.CustAccNS, d.Symbol(1))
	onEachStore(t, func(t *testing.T, i *instance, _ string) {
		by := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * greedyClients}}
		send := func(method, path, body string, status int) {
			a := sendBy(t, by, method, i.url+path, "", body)
			require.Equal(t, status, a.status, a.body)
		}
		var docs [greedyCustomers]string
		id := func(n int) int64 { return 900_000_000_000 + int64(n)*1_000_000 }
		for n := range docs {
			docs[n] = largestCustomer(d, id(n))
			send("POST", "/v1/customers?validate=no", docs[n], http.StatusCreated)
		}
		var orders atomic.Int64
		orders.Store(800_000_000_000)
		others := func() (median, most time.Duration) {
			var took []time.Duration
			for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
				id := orders.Add(1)
				doc := d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id, Account: d.FirstAccount(0)})
				began := time.Now()
				send("POST", "/v1/orders", string(doc), http.StatusCreated)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			return took[len(took)/2], took[len(took)*99/100]
		}

		alone, _ := others()
		for name, greedy := range map[string]func(n int){
			"Trades": func(n int) {
				account := fmt.Sprintf("/v1/accounts/%d/", id(n)+1)
				send("POST", account+"buy", trade, http.StatusOK)
				send("POST", account+"sell", trade, http.StatusOK)
			},
			"Replacements": func(n int) {
				send("PUT", fmt.Sprintf("/v1/customers/%d?validate=no", id(n)), docs[n], http.StatusNoContent)
			},
		} {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var all sync.WaitGroup
				var written atomic.Int64
				for client := range greedyClients {
					all.Go(func() {
						for ctx.Err() == nil {
							greedy(client % greedyCustomers)
							written.Add(1)
						}
					})
				}
				median, most := others()
				cancel()
				all.Wait()
				t.Logf("others' inserts take %v, alone %v, and 99 %% at most %v, while %d times a greedy client wrote",
					median, alone, most, written.Load())
				require.LessOrEqual(t, median, 10*alone)
				require.Less(t, most, time.Second)
				require.Positive(t, written.Load())
			})
		}
	})
}

// largestCustomer returns a customer of the largest size with as many accounts as fit: the id of the first is the one
// after the customer's, and it is the only one that can trade.
func largestCustomer(d *dataset.Dataset, id int64) string {
	doc := d.AppendNewCustomer(nil, 3, dataset.NewCustomer{ID: id, Accounts: []int64{id + 1}})
	before, after, _ := strings.Cut(string(doc), "</Accounts>")
	var b strings.Builder
	b.WriteString(before)
	const room = 200 // for what a trade adds
	for account := id + 2; b.Len()+len(after)+room < 128<<10; account++ {
		fmt.Fprintf(&b, `<Account id="%d"></Account>`, account)
	}
	return b.String() + "</Accounts>" + after
}
