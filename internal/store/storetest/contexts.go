package storetest

import (
	"context"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

var contextCases = []testCase{
	{name: "Context/Cancelled", run: func(e *env) {
		ctx, cancel := context.WithCancel(e.Context())
		cancel()
		for _, t := range all() {
			name, c := t.cases[0].name, t.call(e)
			e.unchanged(c.uses, func() {
				for range 4 { // so that a store that chooses at random is caught
					for _, w := range []tpox.Write{plain(), once(name, "x")} {
						require.ErrorIs(e, errOf(c.do(ctx, w)), context.Canceled, name)
					}
				}
			})
		}
	}},
}
