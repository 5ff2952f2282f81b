package ledger

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// A position is explained by as few trades as possible, and by one that is lost before one that counts twice.
func TestExplain(t *testing.T) {
	t.Parallel()
	numbers := func(all ...int64) (list []decimal.Decimal) {
		for _, n := range all {
			list = append(list, decimal.NewFromInt(n))
		}
		return list
	}
	for name, c := range map[string]struct {
		off                   int64
		acknowledged, unknown []decimal.Decimal
		want                  explanation
	}{
		"Nothing":         {0, numbers(1, -2), nil, explanation{}},
		"Lost":            {-3, numbers(1, 3), nil, explanation{lost: 1}},
		"Twice":           {3, numbers(1, 3), nil, explanation{twice: 1}},
		"LostSale":        {2, numbers(2, -2), nil, explanation{lost: 1}}, // not the purchase before it, twice
		"FewestTwice":     {3, numbers(3, -1, -2), nil, explanation{twice: 1}},
		"Row":             {-4, numbers(5, 1, 3), nil, explanation{lost: 2}},
		"Unknown":         {4, numbers(1), numbers(4, 2), explanation{applied: 1}},
		"UnknownAndLost":  {3, numbers(1), numbers(4), explanation{applied: 1, lost: 1}},
		"Unexplained":     {7, numbers(1, 3), nil, explanation{lost: 1}},
		"NothingAndMoved": {1, nil, nil, explanation{lost: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, explain(decimal.NewFromInt(c.off), c.acknowledged, c.unknown))
		})
	}
}
