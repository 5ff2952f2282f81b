package workload

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// draws returns the requests of a user whose calls all succeed.
func draws(u *User) (list []string) {
	for len(list) < 500 {
		t := u.mix[u.Choose()].Transaction
		if !u.draw(t) {
			list = append(list, t.Name+" empty")
			continue
		}
		u.Keep()
		line := t.request.path.fill([]byte(t.request.method+" "), &u.Call)
		list = append(list, string(t.request.body.fill(append(line, ' '), &u.Call)))
	}
	return list
}

func TestUser_Repeatable(t *testing.T) {
	for _, name := range Names {
		t.Run(name, func(t *testing.T) {
			d := definition(t, name)
			first := draws(newTestUser(t, d, 7, 3, 10))
			require.Equal(t, first, draws(newTestUser(t, d, 7, 3, 10)))
			require.NotEqual(t, first, draws(newTestUser(t, d, 8, 3, 10)), "another seed")
			require.NotEqual(t, first, draws(newTestUser(t, d, 7, 4, 10)), "another user")
		})
	}
}

// Chi-square over many draws: transactions are drawn with the requested weights.
func TestUser_Weights(t *testing.T) {
	const n = 200_000
	for _, name := range Names {
		t.Run(name, func(t *testing.T) {
			u := newTestUser(t, definition(t, name), 11, 0, 1)
			counts := make([]int, len(u.mix))
			for range n {
				counts[u.Choose()]++
			}
			chi, degrees := 0.0, -1.0
			for i, part := range u.mix {
				off := float64(counts[i]) - part.Share*n
				chi += off * off / (part.Share * n)
				degrees++
			}
			require.LessOrEqual(t, chi, result.ChiSquareLimit(max(degrees, 1)))
		})
	}
}

// A user removes only what it has made, and only once.
func TestUser_OwnPools(t *testing.T) {
	u := newTestUser(t, definition(t, "mixed"), 3, 1, 4)
	made, taken := map[string]bool{}, map[string]int{}
	empties := 0
	for range 100_000 {
		tx := u.mix[u.Choose()].Transaction
		if !u.draw(tx) {
			require.NotNil(t, tx.Source)
			empties++
			continue
		}
		path := tx.request.path.fill(nil, &u.Call)
		switch {
		case tx.location != nil:
			made[string(tx.location.fill(path, &u.Call))] = true
		case tx.Source != nil:
			taken[string(path)]++
		}
		u.Keep()
	}
	require.Positive(t, empties)
	require.Greater(t, len(taken), 5000)
	for path, times := range taken {
		require.True(t, made[path], path)
		require.Equal(t, 1, times, path)
	}
}

// Users take the ids of a lease in order, each once, and lease more when fewer than one needs are left.
func TestCrowd_NewIDs(t *testing.T) {
	u := &User{Crowd: &Crowd{leases: map[*idKind]*leased{accountIDs: {}}}}
	asked := 0
	lease := func(_ context.Context, kind string, count int64) (tpox.Range, error) {
		asked++
		require.Equal(t, "account", kind)
		return tpox.Range{First: tpox.ID(500 * asked), Count: 31}, nil
	}
	var got []tpox.ID
	for id := tpox.ID(0); asked < 2; got = append(got, id) {
		for !u.newID(accountIDs, &id) {
			require.True(t, u.outOfIDs)
			require.NoError(t, u.refill(t.Context(), lease, openAccount))
		}
	}
	require.Equal(t, []tpox.ID{500, 503, 506, 509, 512, 515, 518, 521, 524, 527, 1000}, got)
}

// The accounts of a population are those of the generator.
func TestPopulation_Accounts(t *testing.T) {
	for _, profile := range []dataset.Profile{dataset.TPoX1, dataset.TPoX2} {
		d := dataset.New(dataset.Spec{Seed: 1, Profile: profile})
		p := tinyPopulation(t, profile)
		total := int64(0)
		for k := range d.Count(dataset.Customer) {
			first, n := p.accounts(k)
			require.Equal(t, d.FirstAccount(k), first)
			require.Equal(t, int64(d.Accounts(k)), n)
			require.Equal(t, tpox.ID(d.ID(dataset.Customer, k)), p.customer(k))
			total += n
		}
		require.Equal(t, p.Accounts.Count, total)
		keys, err := tpox.OrderKeysOf(d.Append(nil, dataset.Order, 7))
		require.NoError(t, err)
		require.Equal(t, keys.ID, p.order(7))
	}
}

func TestPicker(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	count := func(d Draw, n int64, draws int) map[int64]int {
		seen := map[int64]int{}
		for pick := d.picker(r, n); draws > 0; draws-- {
			seen[pick()]++
		}
		return seen
	}
	t.Run("Uniform", func(t *testing.T) {
		seen := count(Draw{Distribution: Uniform}, 10, 10_000)
		require.Len(t, seen, 10)
		for i := range int64(10) {
			require.InDelta(t, 1000, seen[i], 200)
		}
	})
	t.Run("OneKey", func(t *testing.T) {
		for _, d := range []Draw{
			{Distribution: Uniform}, {Distribution: Zipf, S: 2}, {Distribution: Zipf, S: 1},
			{Distribution: HotSet, Hot: .5, Share: .5},
		} {
			require.Zero(t, d.picker(r, 1)(), d.Distribution)
		}
	})
}

// Each rank of Zipf is as likely as its exponent says, above, at and below 1.
func TestDraw_ZipfRanks(t *testing.T) {
	const n, draws = 50, 200_000
	for _, s := range []float64{.01, .5, .8, 1, 1.2, 2, 10} {
		sum := 0.0
		for k := range n {
			sum += math.Pow(float64(k+1), -s)
		}
		seen := make([]float64, n)
		for pick := zipf(rand.New(rand.NewPCG(3, 4)), s, n); seen[0] == 0 || total(seen) < draws; {
			seen[pick()]++
		}
		chi, degrees := 0.0, -1.0
		for k := range n {
			if want := draws * math.Pow(float64(k+1), -s) / sum; want >= 5 {
				chi += (seen[k] - want) * (seen[k] - want) / want
				degrees++
			}
		}
		require.LessOrEqual(t, chi, result.ChiSquareLimit(max(degrees, 1)), "s = %v: %v", s, seen)
	}
	pick := zipf(rand.New(rand.NewPCG(3, 4)), .8, maxSize)
	for range 1000 {
		k := pick()
		require.True(t, k >= 0 && k < maxSize)
	}
}

func total(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// The hot keys of a hot set have their share of the draws.
func TestDraw_HotSet(t *testing.T) {
	const n, draws = 1000, 100_000
	r := rand.New(rand.NewPCG(5, 6))
	hot := make(map[int64]int)
	pick := Draw{Distribution: HotSet, Hot: .1, Share: .9}.picker(r, n)
	for range draws {
		hot[pick()]++
	}
	require.Greater(t, len(hot), 900, "the others are drawn, too")
	often, together := 0, 0
	for i, times := range hot {
		if times > draws/n {
			often += times
			if hot[i+1] > draws/n {
				together++
			}
		}
	}
	require.InDelta(t, .9*draws, often, .01*draws)
	require.Less(t, together, 50, "hot keys are not next to each other")
}

// Shared, new documents are drawn by the queries and updates of all users, until their user deletes them; otherwise by
// nobody.
func TestUser_NewDocuments(t *testing.T) {
	d := definition(t, "mixed")
	const first = 1_000_000 // of the leased ids
	drawn := func(one, other *User, inserts int) (fresh map[tpox.ID]int) {
		for range inserts {
			require.True(t, one.draw(insertOrder))
			one.Keep()
			require.True(t, one.draw(insertCustomer))
			one.Keep()
		}
		fresh = make(map[tpox.ID]int)
		for range 10_000 {
			for _, tx := range []*Transaction{getOrder, updateOrderStatus, customerProfile, openAccount} {
				require.True(t, other.draw(tx))
				require.Equal(t, other.Call.ID >= first, other.Call.isNew)
				if other.Call.isNew {
					fresh[other.Call.ID]++
				}
			}
		}
		return fresh
	}
	require.Empty(t, drawn(newTestUser(t, d, 3, 0, 2), newTestUser(t, d, 3, 1, 2), 100))

	d.NewDocuments = SharedDocuments
	common := newTestCrowd(t, d, 3, 2)
	one, other := common.User(0), common.User(1)
	fresh := drawn(one, other, 200)
	require.Len(t, fresh, 200, "the ids of orders and customers are the same here")
	all := 0
	for _, times := range fresh {
		all += times
	}
	require.InDelta(t, 20_000*(200.0/2200+200.0/400), all, 600, "as often as documents of the dataset")
	for range 200 {
		require.True(t, one.draw(deleteOrder))
		require.True(t, one.draw(deleteCustomer))
	}
	require.Empty(t, drawn(one, other, 0))
}

func TestScatter(t *testing.T) {
	for _, n := range []int64{1, 2, 500, 7919, 20_833, 7919 * 7907} {
		stride := scatter(n)
		if n > 100_000 {
			require.NotZero(t, n%stride)
			continue
		}
		seen := make([]bool, n)
		for i := range n {
			seen[i*stride%n] = true
		}
		require.NotContains(t, seen, false, n)
	}
}

// Sales are of the account's first position, and so is the share of buys that the workload specifies.
func TestUser_Trades(t *testing.T) {
	d := dataset.New(dataset.Spec{Seed: 1})
	u := newTestUser(t, definition(t, "mixed"), 5, 0, 1)
	held := 0
	for range 10_000 {
		require.True(t, u.draw(sellSecurity))
		require.Equal(t, d.Symbol(int(int64(u.Call.ID)%d.Count(dataset.Security))), u.Call.Symbol)
		require.True(t, u.Call.Quantity >= 1 && u.Call.Quantity <= 10)
		require.True(t, u.draw(buySecurity))
		if u.Call.Symbol == d.Symbol(int(int64(u.Call.ID)%d.Count(dataset.Security))) {
			held++
		}
	}
	require.InDelta(t, 7000, held, 300)
}

// Each transaction has everything that its kind needs, and the new ids that the registry names.
func TestTransactions_AreComplete(t *testing.T) {
	for _, tx := range registry {
		t.Run(tx.Name, func(t *testing.T) {
			require.NotNil(t, tx.draw)
			require.NotEmpty(t, tx.request)
			require.NotNil(t, tx.execute)
			require.Equal(t, tx.Answer != "", tx.key != nil, "an answer and its key")
			require.Equal(t, tx.NewID != "", tx.location != nil, "a new id and its Location")
			require.Equal(t, tx.location != nil, tx.keep != nil, "what is created can be removed")
			require.Equal(t, tx.Kind == tpox.Delete || tx == closeAccount, tx.Source != nil)
			if tx.NewID != "" {
				require.Equal(t, tx.NewID, tx.newIDs[0].name)
			}
		})
	}
}
