package dataset_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func TestScale_Count(t *testing.T) {
	t.Parallel()
	counts := func(d *dataset.Dataset) [2]int64 { return [2]int64{d.Count(dataset.Customer), d.Count(dataset.Order)} }
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		tiny := open(t, "tiny", p)
		require.Equal(t, [2]int64{200, 2000}, counts(tiny))
		require.EqualValues(t, 500, tiny.Count(dataset.Security))
		want := map[dataset.Profile][2]int64{dataset.TPoX2: {5000, 50_000}, dataset.TPoX1: {6000, 30_000}}[p]
		for _, name := range []string{"XXXS", "XXS", "XS", "S", "M", "L", "XL", "XXL"} {
			d := open(t, name, p)
			require.Equal(t, want, counts(d), name)
			require.EqualValues(t, 20_833, d.Count(dataset.Security), name)
			want = [2]int64{10 * want[0], 10 * want[1]}
		}
	})
}

func TestParseScale(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range dataset.Scales() {
		names = append(names, s.Name)
		require.Equal(t, s.Name, s.String())
		for _, spelling := range []string{s.Name, strings.ToLower(s.Name), strings.ToUpper(s.Name)} {
			got, err := dataset.ParseScale(spelling)
			require.NoError(t, err)
			require.Equal(t, s, got)
		}
	}
	require.Equal(t, []string{"tiny", "XXXS", "XXS", "XS", "S", "M", "L", "XL", "XXL"}, names)
	for _, wrong := range []string{"", "XXXXS", "10GB", "S "} {
		_, err := dataset.ParseScale(wrong)
		require.ErrorContains(t, err, "use one of tiny XXXS", "%q", wrong)
	}
}

func TestParseKind(t *testing.T) {
	t.Parallel()
	require.Equal(t, [...]dataset.Kind{dataset.Security, dataset.Customer, dataset.Order}, dataset.Kinds)
	for _, k := range dataset.Kinds {
		got, err := dataset.ParseKind(k.String())
		require.NoError(t, err)
		require.Equal(t, k, got)
	}
	_, err := dataset.ParseKind("Order")
	require.Error(t, err)
}

func TestParseProfile(t *testing.T) {
	t.Parallel()
	require.Equal(t, "tpox-2", dataset.TPoX2.String())
	require.Equal(t, "tpox-1", dataset.TPoX1.String())
	for _, p := range profiles {
		got, err := dataset.ParseProfile(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	_, err := dataset.ParseProfile("tpox")
	require.Error(t, err)
}

func TestDataset_Fingerprint(t *testing.T) {
	t.Parallel()
	base := dataset.Spec{Scale: scale(t, "XXS"), Seed: 42}
	require.Equal(t, "tpox-2/XXS/seed-42/v1/20833-50000-500000", dataset.New(base).Fingerprint())
	for _, other := range []dataset.Spec{
		{Scale: scale(t, "XS"), Seed: 42},
		{Scale: base.Scale, Profile: dataset.TPoX1, Seed: 42},
		{Scale: base.Scale, Seed: 43},
	} {
		require.NotEqual(t, dataset.New(base).Fingerprint(), dataset.New(other).Fingerprint())
	}
}

func TestNew_ZeroSpec(t *testing.T) {
	t.Parallel()
	require.Equal(t, dataset.Spec{Scale: scale(t, "tiny")}, dataset.New(dataset.Spec{}).Spec())
}

func TestDataset_ExpectedBytes(t *testing.T) {
	t.Parallel()
	// The scenario's sizes: M is about a terabyte under either profile.
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		d := open(t, "M", p)
		total := int64(0)
		for _, k := range dataset.Kinds {
			total += d.ExpectedBytes(k)
		}
		require.InEpsilon(t, 1e12, float64(total), 0.10)
	})
}

// A scale of given numbers has a name that ParseScale reads, the customers of the named scales, as many securities,
// and orders whose accounts are spread over all customers.
func TestScaleOf(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		s, err := dataset.ScaleOf(700, 3000)
		require.NoError(t, err)
		require.Equal(t, s, scale(t, "700-3000"))
		own, large := dataset.New(dataset.Spec{Scale: s, Profile: p, Seed: 1}), open(t, "XS", p)
		require.Equal(t, p.String()+"/700-3000/seed-1/v1/20833-700-3000", own.Fingerprint())
		require.Equal(t, "700-3000", own.Spec().Scale.String())
		each(own, dataset.Customer, 650, 50, func(i int64, doc []byte) {
			require.Equal(t, string(large.Append(nil, dataset.Customer, i)), string(doc))
		})
		last, first := own.FirstAccount(699)+int64(own.Accounts(699)), own.FirstAccount(0)
		quarters := make([]int, 4)
		each(own, dataset.Order, 0, 3000, func(i int64, doc []byte) {
			account, err := strconv.ParseInt(string(attr(doc, "Order", "Acct")), 10, 64)
			require.NoError(t, err)
			require.True(t, account >= first && account < last, "order %d of account %d", i, account)
			quarters[4*(account-first)/(last-first)]++
		})
		for _, n := range quarters {
			require.InDelta(t, 750, n, 120, "%v", quarters)
		}
	})
}

func TestScaleOf_Refused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"0-1", "60000000001-1", "1-500000000001", "1-", "-1-1", "1-1-1", "1234567890123-1"} {
		_, err := dataset.ParseScale(name)
		require.Error(t, err, name)
	}
	empty, err := dataset.ScaleOf(0, 0)
	require.NoError(t, err)
	require.EqualValues(t, 20_833, dataset.New(dataset.Spec{Scale: empty}).Count(dataset.Security))
}
