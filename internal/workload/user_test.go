package workload

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// draws returns the requests of a user whose calls all succeed.
func draws(t testing.TB, u *User) (list []string) {
	t.Helper()
	for len(list) < 500 {
		tx := u.mix[u.Choose()].Transaction
		if !u.drawn(t, tx) {
			list = append(list, tx.Name+" empty")
			continue
		}
		u.Keep()
		request := u.Call.AppendPath([]byte(u.Call.Method() + " "))
		list = append(list, string(u.Call.AppendBody(append(request, ' '))))
	}
	return list
}

func TestUser_Repeatable(t *testing.T) {
	for _, name := range Names {
		t.Run(name, func(t *testing.T) {
			d := definition(t, name)
			first := draws(t, newCrowd(t, d, 7).User(3))
			require.Equal(t, first, draws(t, newCrowd(t, d, 7).User(3)))
			require.NotEqual(t, first, draws(t, newCrowd(t, d, 8).User(3)), "another seed")
			require.NotEqual(t, first, draws(t, newCrowd(t, d, 7).User(4)), "another user")
		})
	}
}

// Transactions are drawn with the requested weights.
func TestUser_Weights(t *testing.T) {
	const n = 200_000
	for _, name := range Names {
		t.Run(name, func(t *testing.T) {
			u := newCrowd(t, definition(t, name), 11).User(0)
			counts, expected := make([]float64, len(u.mix)), make([]float64, len(u.mix))
			for range n {
				counts[u.Choose()]++
			}
			for i, part := range u.mix {
				expected[i] = n * part.Share
			}
			alike(t, counts, expected)
		})
	}
}

// A user removes only what it has made, and only once.
func TestUser_OwnPools(t *testing.T) {
	u := newCrowd(t, definition(t, "mixed"), 3).User(1)
	made, taken := map[string]bool{}, map[string]int{}
	empties := 0
	for range 100_000 {
		tx := u.mix[u.Choose()].Transaction
		if !u.drawn(t, tx) {
			require.NotNil(t, tx.Source)
			empties++
			continue
		}
		path := u.Call.AppendPath(nil)
		switch {
		case tx.location != "":
			made[string(u.Call.fill(path, tx.location))] = true
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

// Users take the ids of a lease in order, each once, and lease more when too few are left for a call.
func TestUser_NewIDs(t *testing.T) {
	leases := 0
	u := &User{Crowd: &Crowd{}, lease: func(kind string, _ int64) (tpox.Range, error) {
		require.Equal(t, "account", kind)
		leases++
		return tpox.Range{First: tpox.ID(500 * leases), Count: 31}, nil
	}}
	accounts := leased{kind: "account"}
	require.True(t, u.newIDs(&accounts, 31, new(tpox.ID)))
	require.False(t, u.newIDs(&accounts, 32, new(tpox.ID)))
	require.EqualError(t, u.leaseErr, "the service leased too few ids")
	leases, accounts = 0, leased{kind: "account"}
	var got []tpox.ID
	for id := tpox.ID(0); leases < 2; got = append(got, id) {
		require.True(t, u.newIDs(&accounts, 3, &id))
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

// Every key is drawn; with the uniform distribution, all are drawn equally often.
func TestDraw_Keys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range []Draw{
		{Distribution: "uniform"}, {Distribution: "zipf", S: .01}, {Distribution: "hot-set", Hot: .5, Share: .5},
	} {
		for _, n := range []int64{1, 2, 500, 7919} { // and a prime of the strides
			counts, expected := make([]float64, n), make([]float64, n)
			pick := d.picker(r, n)
			for i := range 50 * n {
				counts[pick()]++
				expected[i%n]++
			}
			require.NotContains(t, counts, 0.0, "%v of %d", d, n)
			if d.Distribution == "uniform" {
				alike(t, counts, expected)
			}
		}
	}
}

// Popular keys are scattered over all keys, whichever primes divide the number of keys.
func TestDraw_Scatters(t *testing.T) {
	for _, n := range []int64{7907 * 7919, 7901 * 7919, 1_000_000} {
		pick := Draw{Distribution: "hot-set", Hot: 2 / float64(n), Share: 1}.picker(rand.New(rand.NewPCG(1, 2)), n)
		seen := make(map[int64]bool)
		for range 100 {
			seen[pick()] = true
		}
		require.Len(t, seen, 2, "%d", n)
		for k := range seen {
			require.True(t, k == 0 || k > 7000, "%d of %d", k, n)
		}
	}
}

// Each rank is as likely as Zipf's law requires, for exponents below, at and above 1.
func TestDraw_ZipfRanks(t *testing.T) {
	const n, draws = 50, 200_000
	for _, s := range []float64{.01, .5, .8, 1, 1.2, 2, 10} {
		sum := 0.0
		for k := range n {
			sum += math.Pow(float64(k+1), -s)
		}
		counts, expected := make([]float64, n), make([]float64, n)
		pick := zipf(rand.New(rand.NewPCG(3, 4)), s, n)
		for range draws {
			counts[pick()]++
		}
		for k := range n {
			expected[k] = draws * math.Pow(float64(k+1), -s) / sum
		}
		alike(t, counts, expected)
	}
	pick := zipf(rand.New(rand.NewPCG(3, 4)), .8, maxSize)
	for range 1000 {
		k := pick()
		require.True(t, k >= 0 && k < maxSize)
	}
}

// The hot keys of a hot set have their share of the draws.
func TestDraw_HotSet(t *testing.T) {
	const n, draws = 1000, 100_000
	r := rand.New(rand.NewPCG(5, 6))
	hot := make(map[int64]int)
	pick := Draw{Distribution: "hot-set", Hot: .1, Share: .9}.picker(r, n)
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

// Queries and updates of all users draw new documents that are shared, until the user that made them deletes them.
// New documents that are not shared are not drawn.
func TestUser_NewDocuments(t *testing.T) {
	d := definition(t, "mixed")
	drawn := func(one, other *User, inserts int) (fresh map[tpox.ID]int) {
		for range inserts {
			for _, tx := range []*Transaction{InsertOrder, InsertCustomer} {
				require.True(t, one.drawn(t, tx))
				one.Keep()
			}
		}
		fresh = make(map[tpox.ID]int)
		for range 10_000 {
			for _, tx := range []*Transaction{getOrder, updateOrderStatus, customerProfile, openAccount} {
				require.True(t, other.drawn(t, tx))
				require.Equal(t, other.Call.ID >= firstLeased, other.Call.OfNewDocument())
				if other.Call.OfNewDocument() {
					fresh[other.Call.ID]++
				}
			}
		}
		return fresh
	}
	common := newCrowd(t, d, 3)
	require.Empty(t, drawn(common.User(0), common.User(1), 100))

	d.NewDocuments = SharedDocuments
	common = newCrowd(t, d, 3)
	one, other := common.User(0), common.User(1)
	fresh := drawn(one, other, 200)
	require.Len(t, fresh, 200, "the ids of orders and customers are the same here")
	all := 0
	for _, times := range fresh {
		all += times
	}
	require.InDelta(t, 20_000*(200.0/2200+200.0/400), all, 600, "as often as documents of the dataset")
	for range 200 {
		require.True(t, one.drawn(t, deleteOrder))
		require.True(t, one.drawn(t, deleteCustomer))
	}
	require.Empty(t, drawn(one, other, 0))
}

// Sales are of the account's first position, and so is the share of buys that the workload specifies.
func TestUser_Trades(t *testing.T) {
	d := dataset.New(dataset.Spec{Seed: 1})
	u := newCrowd(t, definition(t, "mixed"), 5).User(0)
	held := 0
	for range 10_000 {
		require.True(t, u.drawn(t, sellSecurity))
		require.Equal(t, d.Symbol(int(int64(u.Call.ID)%d.Count(dataset.Security))), u.Call.Symbol)
		require.True(t, u.Call.Quantity >= 1 && u.Call.Quantity <= 10)
		require.True(t, u.drawn(t, buySecurity))
		if u.Call.Symbol == d.Symbol(int(int64(u.Call.ID)%d.Count(dataset.Security))) {
			held++
		}
	}
	require.InDelta(t, 7000, held, 300)
}

// Each transaction has everything that its kind needs.
func TestTransactions_AreComplete(t *testing.T) {
	for _, tx := range Transactions() {
		t.Run(tx.Name, func(t *testing.T) {
			require.NotNil(t, tx.draw)
			require.NotEmpty(t, tx.request)
			require.NotNil(t, tx.execute)
			require.Equal(t, tx.Answer != "", tx.key != "", "an answer and its key")
			require.Equal(t, tx.NewID != "", tx.location != "", "a new id and its Location")
			require.Equal(t, tx.location != "", tx.keep != nil, "what is created can be removed")
			require.Equal(t, tx.Kind == tpox.Delete || tx == closeAccount, tx.Source != nil)
			(&Call{Transaction: tx}).fill(nil, tx.request.path+tx.request.body+tx.key+tx.location) // panics at an unknown name
			if tx.NewID != "" {
				var leases []string
				_, err := newCrowd(t, definition(t, "mixed"), 1).User(0).Draw(t.Context(), tx,
					func(_ context.Context, kind string, _ int64) (tpox.Range, error) {
						leases = append(leases, kind)
						return tpox.Range{First: firstLeased, Count: tpox.MaxLease}, nil
					})
				require.NoError(t, err)
				require.Equal(t, tx.NewID, leases[0])
			}
		})
	}
}
