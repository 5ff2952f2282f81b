package db2

import (
	"context"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Scheme is the scheme of the URLs.
const Scheme = "db2"

var _ store.Bulk = (*Store)(nil)

func init() {
	store.Register(&store.Engine{
		Scheme:    Scheme,
		Title:     "Db2",
		TraceName: "ibm.db2",
		Usage:     "db2://USER@HOST:PORT/DATABASE",
		Check:     CheckURL,
		Name:      Name,
		Open: func(ctx context.Context, url string, o store.Options) (tpox.Store, error) {
			return Open(ctx, url, Options{
				Pool: o.Pool, Rules: o.Rules, AsIs: o.AsIs, Notice: o.Notice, Trace: o.Trace,
			})
		},
		Watch:  func(ctx context.Context, url string) (store.Observer, error) { return Watch(ctx, url) },
		Script: Script,
	})
}
