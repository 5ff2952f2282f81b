package store

import (
	"context"
	"encoding/json"
	"fmt"

	"brokerage/internal/tpox"
)

// A LoadRecord reads a database's record of the loads into it: named settings, each in JSON. Stores embed one.
type LoadRecord struct {
	// Text returns a setting, empty if there is none. Its errors are the domain's.
	Text func(ctx context.Context, name string) (string, error)
}

// The settings of a LoadRecord.
const (
	SettingContents = "contents"    // of the last finished load
	SettingLoading  = "loading"     // the name of the unfinished load
	SettingRaw      = "raw."        // followed by a kind: Space.Raw of that kind
	SettingLoaded   = "loaded.from" // what the last load from a source has stored
)

// Setting reads a setting into value, which is not changed if there is none.
func (r *LoadRecord) Setting(ctx context.Context, name string, value any) error {
	text, err := r.Text(ctx, name)
	if err != nil || text == "" {
		return err
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return &tpox.Unavailable{Cause: fmt.Errorf("setting %s: %w", name, err)}
	}
	return nil
}

// Ready returns *tpox.Unavailable while a load runs, and after a load that was interrupted.
func (r *LoadRecord) Ready(ctx context.Context) error {
	unfinished, err := r.Loading(ctx)
	if err == nil && unfinished != "" {
		err = &tpox.Unavailable{Cause: Unfinished(unfinished), Detail: "a load was not finished"}
	}
	return err
}

// Unfinished returns the error for a database in which the load of that name runs or was interrupted.
func Unfinished(name string) error {
	return fmt.Errorf("the load of %s was not finished: if it is no longer running, run brokerage load --replace", name)
}

// Loading returns the name of the unfinished load, empty if there is none.
func (r *LoadRecord) Loading(ctx context.Context) (name string, err error) {
	err = r.Setting(ctx, SettingLoading, &name)
	return name, err
}

// Contents returns which dataset was loaded. It is zero while a load is not finished, because no fingerprint describes
// what is stored then.
func (r *LoadRecord) Contents(ctx context.Context) (c tpox.Contents, err error) {
	// Loading is read first. If a load ends between the two reads, the result is zero; the other order could return
	// contents that are not those of the finished load.
	unfinished, err := r.Loading(ctx)
	if err == nil && unfinished == "" {
		err = r.Setting(ctx, SettingContents, &c)
	}
	return c, err
}

// LoadedFrom returns what the last load from a source has stored; zero if there was none.
func (r *LoadRecord) LoadedFrom(ctx context.Context) (from Loaded, err error) {
	err = r.Setting(ctx, SettingLoaded, &from)
	return from, err
}

// Done reports whether a database holds already what the load of that name would store. It returns an error if the
// database holds something else, or if a load was not finished.
func (r *LoadRecord) Done(ctx context.Context, name string) (bool, error) {
	unfinished, err := r.Loading(ctx)
	if err == nil && unfinished != "" {
		err = Unfinished(unfinished)
	}
	if err != nil {
		return false, err
	}
	stored, err := r.Contents(ctx)
	if err != nil || stored == (tpox.Contents{}) {
		return false, err
	}
	from, err := r.LoadedFrom(ctx)
	if err == nil && stored.Fingerprint != name && from.Source != name {
		err = fmt.Errorf("the database holds %s already: --replace deletes it first", stored.Fingerprint)
	}
	return err == nil, err
}
