package dataset_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

func TestScale_Count(t *testing.T) {
	t.Parallel()
	type counts struct{ customers, orders int64 }
	for _, tt := range []struct {
		name         string
		tpox2, tpox1 counts
	}{
		{"tiny", counts{200, 2000}, counts{200, 2000}},
		{"XXXS", counts{5000, 50_000}, counts{6000, 30_000}},
		{"XXS", counts{50_000, 500_000}, counts{60_000, 300_000}},
		{"XS", counts{500_000, 5_000_000}, counts{600_000, 3_000_000}},
		{"S", counts{5_000_000, 50_000_000}, counts{6_000_000, 30_000_000}},
		{"M", counts{50_000_000, 500_000_000}, counts{60_000_000, 300_000_000}},
		{"L", counts{500_000_000, 5_000_000_000}, counts{600_000_000, 3_000_000_000}},
		{"XL", counts{5_000_000_000, 50_000_000_000}, counts{6_000_000_000, 30_000_000_000}},
		{"XXL", counts{50_000_000_000, 500_000_000_000}, counts{60_000_000_000, 300_000_000_000}},
	} {
		for p, want := range map[dataset.Profile]counts{dataset.TPoX2: tt.tpox2, dataset.TPoX1: tt.tpox1} {
			d := open(t, tt.name, p)
			require.Equal(t, want, counts{d.Count(dataset.Customer), d.Count(dataset.Order)}, "%s %s", p, tt.name)
			securities := int64(20_833)
			if tt.name == "tiny" {
				securities = 500
			}
			require.Equal(t, securities, d.Count(dataset.Security))
		}
	}
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
		require.ErrorContains(t, err, "want one of tiny XXXS", "%q", wrong)
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
	require.Equal(t, "Kind(9)", dataset.Kind(9).String())
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
	require.Equal(t, "Profile(9)", dataset.Profile(9).String())
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
