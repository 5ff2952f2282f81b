package store

import (
	"context"

	"brokerage/internal/store/db2"
	"brokerage/internal/tpox"
)

var _ Bulk = (*db2.Store)(nil)

var db2Engine = &Engine{
	Scheme:    DB2,
	Title:     "Db2",
	TraceName: "ibm.db2",
	usage:     "db2://USER@HOST:PORT/DATABASE",
	check:     func(rest string) error { return db2.CheckURL(DB2 + ":" + rest) },
	name:      func(rest string) string { return db2.Name(DB2 + ":" + rest) },
	open: func(ctx context.Context, rest string, o Options) (tpox.Store, error) {
		return asStore(db2.Open(ctx, DB2+":"+rest, db2.Options{
			Pool: o.Pool, Rules: o.Rules, AsIs: o.AsIs, Notice: o.Notice, Trace: o.Trace,
		}))
	},
	watch: func(ctx context.Context, rest string) (Observer, error) {
		w, err := db2.Watch(ctx, DB2+":"+rest)
		if err != nil {
			return nil, err
		}
		return w, nil
	},
	script: func(rest string) (string, error) { return db2.Script(DB2 + ":" + rest) },
}
