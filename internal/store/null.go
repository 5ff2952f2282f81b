package store

import (
	"context"
	"errors"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/null"
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
	open: func(context.Context, string, Options) (brokerage.Store, error) { return asStore(null.Open()) },
}
