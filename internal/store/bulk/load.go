package bulk

import (
	"context"
	"slices"

	"brokerage/internal/tpox"
)

// A Loader loads documents from a source. Its fields are the steps that differ between stores; T is a store's
// transaction.
type Loader[T any] struct {
	Ledger *Ledger
	// Done reports whether a load has nothing to do; see Ledger.Done.
	Done func(ctx context.Context, name string, same func(tpox.Contents) bool) (bool, error)
	// Frame records that a load has begun, calls load, and records in the transaction of end that it has finished.
	Frame func(ctx context.Context, at Loaded, load func() error, end func(T) error) error
	// Packing prepares documents, on all processors.
	Packing Packing
	// Write calls do in a transaction, and again from the beginning if nothing of the first try was committed.
	Write func(ctx context.Context, do func(T) error) error
	// Insert stores the documents that are not Refused, and sets Refused for those whose keys exist.
	Insert func(tx T, documents []PreparedDocument) error
	// RaiseLeases has leases begin above the ids that were loaded.
	RaiseLeases func(T) error
	Set         func(tx T, name string, value any) error
}

// Load fills a store with documents from a source. Documents that are not admitted, or whose keys exist, are reported
// to from.Refused and left out. Each batch is committed together with how far the load has come, so that after any
// interruption the same call continues.
func (l *Loader[T]) Load(ctx context.Context, from Source, progress Progress) (at Loaded, err error) {
	if at, err = l.Ledger.LoadedFrom(ctx); err != nil {
		return at, err
	}
	same := func(tpox.Contents) bool { return at.Source == from.Name && at.Done }
	if done, err := l.Done(ctx, from.Name, same); done || err != nil {
		return at, err
	}
	at.Source = from.Name
	finished := at
	err = l.Frame(ctx, at, func() error {
		prepare := func(raw RawBatch) prepared { return l.Packing.prepare(raw, from.Validate) }
		return InOrder(ctx, from.Batches(at.Position), prepare, func(b prepared) error {
			next, err := l.insert(ctx, b, at, from.Refused)
			if err != nil {
				return err
			}
			if progress != nil {
				progress(len(b.documents), b.raw.Bytes)
			}
			at = next
			return nil
		})
	}, func(tx T) error {
		finished = at
		finished.Done = true
		return l.finish(tx, finished.Finished(from.Contents))
	})
	if err == nil {
		at = finished
	}
	return at, err
}

// insert commits a batch and returns how far the load has come with it.
func (l *Loader[T]) insert(
	ctx context.Context, b prepared, at Loaded, refused func(string, int, error) error,
) (next Loaded, err error) {
	err = l.Write(ctx, func(tx T) error {
		// What an earlier try counted and refused is void.
		next = at
		documents := slices.Clone(b.documents)
		if err := l.Insert(tx, documents); err != nil {
			return err
		}
		if err := next.count(b.raw, documents, refused); err != nil {
			return err
		}
		return l.Set(tx, SettingLoaded, next)
	})
	return next, err
}

func (l *Loader[T]) finish(tx T, settings map[string]any) error {
	if err := l.RaiseLeases(tx); err != nil {
		return err
	}
	for name, value := range settings {
		if err := l.Set(tx, name, value); err != nil {
			return err
		}
	}
	return nil
}

// count counts a stored batch and reports the refused documents.
func (l *Loaded) count(
	raw RawBatch, documents []PreparedDocument, refused func(file string, line int, err error) error,
) error {
	for i, d := range documents {
		if d.Refused == nil {
			l.Documents[d.Kind]++
			l.Raw[d.Kind] += int64(d.Size)
			continue
		}
		l.Refused++
		if err := refused(raw.File, raw.Documents[i].Line, d.Refused); err != nil {
			return err
		}
	}
	l.Position = raw.Position
	return nil
}
