package null

import (
	"context"
	"errors"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

func init() {
	store.Register(&store.Engine{
		Scheme:    "null",
		Title:     "null",
		TraceName: "null",
		Usage:     "null:",
		Check: func(url string) error {
			if url != "null:" {
				return errors.New("null: takes no further text")
			}
			return nil
		},
		Name: func(string) string { return "null:" },
		Open: func(context.Context, string, store.Options) (tpox.Store, error) { return Open(), nil },
	})
}
