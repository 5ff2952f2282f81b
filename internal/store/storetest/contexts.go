package storetest

import (
	"context"
	"errors"

	"brokerage/internal/tpox"
)

var contextCases = []testCase{
	{name: "Context/Cancelled", run: func(e *env) {
		ctx, cancel := context.WithCancel(e.Context())
		cancel()
		for _, t := range all() {
			name, c := t.cases[0].name, t.call(e)
			cancelled := func(_ string, err error) {
				if !errors.Is(err, context.Canceled) {
					e.Fatalf("%s with a cancelled context: %v (%T), want context.Canceled", name, err, err)
				}
			}
			e.unchanged(c.uses, func() {
				for range 4 { // a store that chooses at random must fail every time
					if c.read != nil {
						cancelled(c.read(ctx))
						continue
					}
					for _, w := range []tpox.Write{plain(), once(name, "x")} {
						cancelled(c.write(ctx, w))
					}
				}
			})
		}
	}},
}
