package main

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	domain "brokerage/internal/brokerage"
	"brokerage/internal/store/guard"
)

// How long to wait between two attempts to open a database: twice as long each
// time, and drawn at random, so that instances that wait together do not come
// together.
const (
	firstWait = 250 * time.Millisecond
	maxWait   = 5 * time.Second
	// remindEvery is how often the reason is told again when it has not changed.
	remindEvery = time.Minute
)

// heals tells whether another attempt to open a database may do better, without
// a change to this process: there is no server yet, or it does not know us yet.
// Stores say so by the error that they have for it at any other time.
func heals(err error) bool {
	_, unavailable := errors.AsType[*domain.Unavailable](err)
	return unavailable
}

// waiting is a database that cannot be opened yet.
type waiting struct {
	open func(context.Context) (domain.Store, error)
	log  *slog.Logger
	db   string
}

// serve puts the database inside of the guard as soon as that is possible.
func (w *waiting) serve(ctx context.Context, missing error, guarded *guard.Store, inside *insight) error {
	opened, err := w.until(ctx, missing, guarded.Absent)
	if err != nil {
		return err
	}
	inside.look(opened)
	guarded.Open(opened)
	return nil
}

// until opens the database, and tells before each further attempt why the last one
// has failed. It gives up when ctx is done, and when an attempt fails in a way that
// waiting does not mend.
func (w *waiting) until(ctx context.Context, err error, absent func(error)) (domain.Store, error) {
	began := time.Now()
	told, toldAt := "", time.Time{}
	for pause := firstWait; heals(err); pause = min(2*pause, maxWait) {
		absent(err)
		if reason := oneLine(err); reason != told || time.Since(toldAt) >= remindEvery {
			w.log.Warn("waiting for the database", "db", w.db, "error", reason)
			told, toldAt = reason, time.Now()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
		var opened domain.Store
		if opened, err = w.open(ctx); err == nil {
			w.log.Info("the database is there", "db", w.db, "waited", time.Since(began).Round(time.Millisecond).String())
			return opened, nil
		}
	}
	return nil, err
}

// oneLine is an error that a driver may have written on several.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
