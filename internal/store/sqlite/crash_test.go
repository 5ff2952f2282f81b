package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// victimInTurn makes that process write a few orders one after the other and end.
const (
	victimInTurn = "BROKERAGE_TEST_VICTIM_IN_TURN"
	inTurn       = 20
)

// victimOf makes the test binary a process that writes to the database that the variable names until it is killed.
const victimOf = "BROKERAGE_TEST_VICTIM_OF"

func TestMain(m *testing.M) {
	for variable, victim := range map[string]func(string){
		victimOf: victim, victimOfMigration: migrationVictim, victimOfLoad: loadVictim,
	} {
		if path := os.Getenv(variable); path != "" {
			victim(path)
			return
		}
	}
	os.Exit(m.Run())
}

// victim inserts orders and sells shares from 32 goroutines, and prints what was answered, after it was.
func victim(path string) {
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	scale, _ := dataset.ParseScale("tiny")
	d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	var mu sync.Mutex
	say := func(what string, id int64) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what, id)
	}
	lease, err := s.Lease(context.Background(), "order", 1_000_000)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	if os.Getenv(victimInTurn) != "" {
		for id := int64(lease.First); id < int64(lease.First)+inTurn; id++ {
			if _, err := s.InsertOrder(
				context.Background(), brokerage.Write{Now: time.Now()}, d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id}),
			); err != nil {
				fmt.Println("error", err)
				os.Exit(1)
			}
			say("order", id)
		}
		os.Exit(0)
	}
	var wg sync.WaitGroup
	for i := range int64(32) {
		wg.Go(func() {
			for id := int64(lease.First) + i; ; id += 32 {
				if _, err := s.InsertOrder(
					context.Background(), brokerage.Write{Now: time.Now()}, d.AppendNewOrder(nil, id, dataset.NewOrder{ID: id}),
				); err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				say("order", id)
				account := d.AccountAt(i)
				trade := brokerage.Trade{Side: brokerage.Buy, Symbol: d.Symbol(int(account) % 500), Quantity: "1", Now: time.Now()}
				if _, err := s.Trade(
					context.Background(), brokerage.Write{Now: time.Now()}, brokerage.ID(account), trade,
				); err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				say("trade", account)
			}
		})
	}
	wg.Wait()
}

// Killed at any moment, the database has all that was answered, and nothing
// half: a trade that is there is there in position and balance.
func TestCrash_Killed(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	d := generator(t, "tiny")
	path := filepath.Join(t.TempDir(), "brokerage.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	require.NoError(t, s.Close())

	trades := make(map[int64]int) // answered, by account
	for round := range rounds {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), victimOf+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		var inserted []int64
		lines := bufio.NewScanner(out)
		killed := 300 + 97*round
		for n := 0; lines.Scan(); n++ {
			var what string
			var id int64
			_, err := fmt.Sscan(lines.Text(), &what, &id)
			require.NoError(t, err, lines.Text())
			switch what {
			case "order":
				inserted = append(inserted, id)
			case "trade":
				trades[id]++
			}
			if n == killed {
				require.NoError(t, cmd.Process.Kill())
			}
		}
		_ = cmd.Wait() // killed
		require.Greater(t, len(inserted), 100)

		s, err := Open(t.Context(), path, Options{})
		require.NoError(t, err)
		for _, id := range inserted {
			got, err := s.GetOrder(t.Context(), brokerage.ID(id))
			require.NoError(t, err, "order %d was answered", id)
			require.Equal(t, string(brokerage.Order(order(d, id))), string(got))
		}
		for i := range int64(32) {
			requireWholeTrades(t, s, d, d.AccountAt(i), trades[d.AccountAt(i)])
		}
		var check string
		require.NoError(t, s.reading.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&check))
		require.Equal(t, "ok", check)
		require.NoError(t, s.Close())
	}
}

// requireWholeTrades compares an account with what it was: as many shares more
// as buys, at least those that were answered, and the money for exactly those.
func requireWholeTrades(t testing.TB, s *Store, d *dataset.Dataset, account int64, answered int) {
	t.Helper()
	customer, err := s.CustomerOf(t.Context(), brokerage.ID(account))
	require.NoError(t, err)
	doc, err := s.GetCustomer(t.Context(), customer)
	require.NoError(t, err)
	before := d.Append(nil, dataset.Customer, int64(customer)-d.ID(dataset.Customer, 0))
	security, err := s.GetSecurity(t.Context(), d.Symbol(int(account)%500))
	require.NoError(t, err)

	// The same number of buys, one after the other, on the document as it was.
	want := before
	for bought := 0; ; bought++ {
		if sameAccount(want, doc, account) {
			require.GreaterOrEqual(t, bought, answered, "account %d: trades were answered", account)
			return
		}
		require.Less(t, bought, answered+64, "account %d is in no state that whole trades lead to", account)
		want, _, err = brokerage.Trade{Side: brokerage.Buy, Symbol: d.Symbol(int(account) % 500), Quantity: "1"}.Apply(
			brokerage.DefaultRules, want, brokerage.ID(account), brokerage.QuoteOf(security),
		)
		require.NoError(t, err)
	}
}

var (
	accountPath = xmldoc.MustPath(xmldoc.Namespaces{"c": brokerage.CustAccNS}, "c:Customer/c:Accounts/c:Account")
	stateOf     = xmldoc.MustSet(xmldoc.Namespaces{"c": brokerage.CustAccNS}, "c:Balance", "c:Holdings")
)

// sameAccount compares the balances and holdings of an account in two states of its customer.
func sameAccount(a, b []byte, account int64) bool {
	state := func(doc []byte) string {
		for n := range accountPath.All(xmldoc.Document(doc)) {
			if n.Attr("id").Is(fmt.Sprint(account)) {
				var part [2]xmldoc.Node
				stateOf.Find(n, part[:])
				return string(part[0].Raw()) + string(part[1].Raw())
			}
		}
		return ""
	}
	return state(a) != "" && state(a) == state(b)
}
