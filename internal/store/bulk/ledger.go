package bulk

import (
	"context"
	"encoding/json"
	"fmt"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
)

// Ledger is what a database says of the loads into it, in settings: names with
// JSON. A store has one for its part, and says how a setting is read.
type Ledger struct {
	// Text gives a setting, empty if there is none. Its errors are the domain's.
	Text func(ctx context.Context, name string) (string, error)
}

// The settings of a ledger.
const (
	SettingContents = "contents"    // of the last load, since it was finished
	SettingLoading  = "loading"     // the load that is not finished
	SettingLoadedOf = "loaded."     // and a kind: how many documents of a dataset
	SettingRaw      = "raw."        // and a kind: how large they were; see Space
	SettingLoaded   = "loaded.from" // how far a load from a source has come
)

// Setting reads a setting into value, which stays as it is if there is none.
func (l *Ledger) Setting(ctx context.Context, name string, value any) error {
	text, err := l.Text(ctx, name)
	if err != nil || text == "" {
		return err
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return &brokerage.Unavailable{Cause: fmt.Errorf("setting %s: %w", name, err)}
	}
	return nil
}

// Ready tells whether the store can answer, with all of what was to be loaded:
// while a load is under way, and if it was ended before its end, it cannot.
func (l *Ledger) Ready(ctx context.Context) error {
	unfinished, err := l.Loading(ctx)
	if err == nil && unfinished != "" {
		err = &brokerage.Unavailable{Cause: fmt.Errorf("the load of %s is not finished: the same load command continues it", unfinished)}
	}
	return err
}

// Loading is which load is not finished, empty if there is none.
func (l *Ledger) Loading(ctx context.Context) (name string, err error) {
	err = l.Setting(ctx, SettingLoading, &name)
	return name, err
}

// Contents says which dataset was loaded. It is zero as long as a load is not
// finished: what is there then is not what any fingerprint says.
func (l *Ledger) Contents(ctx context.Context) (c brokerage.Contents, err error) {
	// Loading first: a load that ends in between is not there, or is there whole.
	unfinished, err := l.Loading(ctx)
	if err == nil && unfinished == "" {
		err = l.Setting(ctx, SettingContents, &c)
	}
	return c, err
}

// LoadedFrom says how far a load from a source has come; zero if there was none.
func (l *Ledger) LoadedFrom(ctx context.Context) (from Loaded, err error) {
	err = l.Setting(ctx, SettingLoaded, &from)
	return from, err
}

// LoadedDocuments is how many documents of a kind the load of a dataset has brought.
func (l *Ledger) LoadedDocuments(ctx context.Context, k dataset.Kind) (n int64, err error) {
	err = l.Setting(ctx, SettingLoadedOf+k.String(), &n)
	return n, err
}

// Done tells whether the documents of a load are all there, and refuses one into
// a database with something else; same tells whether what is there is its own.
func (l *Ledger) Done(ctx context.Context, name string, same func(brokerage.Contents) bool) (bool, error) {
	unfinished, err := l.Loading(ctx)
	switch {
	case err != nil || unfinished == name:
		return false, err
	case unfinished != "":
		return false, fmt.Errorf("the database holds a part of %s already", unfinished)
	}
	there, err := l.Contents(ctx)
	switch {
	case err != nil || there == (brokerage.Contents{}):
		return false, err
	case !same(there):
		return false, fmt.Errorf("the database holds %s already", there.Fingerprint)
	}
	return true, nil
}
