package store

import (
	"context"
	"errors"

	"brokerage/internal/store/null"
	"brokerage/internal/tpox"
)

var nullEngine = &Engine{
	Scheme:    Null,
	Title:     "null",
	TraceName: "null",
	usage:     "null:",
	check: func(rest string) error {
		if rest != "" {
			return errors.New("null: must not be followed by anything")
		}
		return nil
	},
	name: func(string) string { return Null + ":" },
	open: func(context.Context, string, Options) (tpox.Store, error) { return asStore(null.Open()) },
}
