package dataset_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func TestDataset_ID(t *testing.T) {
	t.Parallel()
	d := open(t, "XXL", dataset.TPoX2)
	require.EqualValues(t, 1, d.ID(dataset.Security, 0))
	require.EqualValues(t, 1002, d.ID(dataset.Customer, 0))
	require.EqualValues(t, 103282, d.ID(dataset.Order, 0))
	require.EqualValues(t, 500_000_103_281, d.ID(dataset.Order, d.Count(dataset.Order)-1))
}

// Account ids follow the rules of the scenario, on which clients may rely.
func TestDataset_FirstAccount(t *testing.T) {
	t.Parallel()
	const a0 = 104_000_000
	two, one := open(t, "XXL", dataset.TPoX2), open(t, "XXL", dataset.TPoX1)
	for _, from := range []int64{0, 4990, 49_999_999_990} {
		for k := from; k < from+10; k++ {
			require.Equal(t, a0+6*(k/3)+[]int64{0, 1, 3}[k%3], two.FirstAccount(k))
			require.EqualValues(t, 1+k%3, two.Accounts(k))
			require.Equal(t, a0+7*k, one.FirstAccount(k))
			require.EqualValues(t, 1+k%2, one.Accounts(k))
		}
	}
}

func TestDataset_AccountAt(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		d := open(t, "XXS", p)
		n := int64(0)
		for k := range d.Count(dataset.Customer) {
			for j := range d.Accounts(k) {
				require.Equal(t, d.FirstAccount(k)+int64(j), d.AccountAt(n))
				n++
			}
		}
		require.Equal(t, n, d.TotalAccounts())

		large := open(t, "XXL", p)
		last := large.Count(dataset.Customer) - 1
		require.Equal(t, large.FirstAccount(last)+int64(large.Accounts(last))-1, large.AccountAt(large.TotalAccounts()-1))
	})
}

// The ids in documents are those of the package comment, at both ends of the largest scale (securities: at its end).
func TestAppend_IDs(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		d := open(t, "XXL", p)
		for _, from := range []int64{0, d.Count(dataset.Customer) - 50} {
			each(d, dataset.Customer, from, 50, func(k int64, doc []byte) {
				require.Equal(t, strconv.FormatInt(1002+k, 10), string(attr(doc, "Customer", "id")))
				accounts := accountsOf(doc)
				require.Len(t, accounts, d.Accounts(k))
				for j, a := range accounts {
					require.Equal(t, d.FirstAccount(k)+int64(j), a.id)
				}
			})
		}
		for _, from := range []int64{0, d.Count(dataset.Order) - 50} {
			each(d, dataset.Order, from, 50, func(i int64, doc []byte) {
				require.Equal(t, strconv.FormatInt(103282+i, 10), string(attr(doc, "Order", "ID")))
			})
		}
		each(d, dataset.Security, 20_800, 33, func(i int64, doc []byte) {
			require.Equal(t, strconv.FormatInt(i+1, 10), string(attr(doc, "Security", "id")))
			require.Equal(t, d.Symbol(int(i)), string(text(doc, "Symbol")))
		})
	})
}
