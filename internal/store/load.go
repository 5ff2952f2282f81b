package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// A Progress is called after each batch with the number of its documents, refused ones included, and RawBatch.Bytes.
// Calls do not overlap.
type Progress func(documents int, bytes int64)

// A RawDocument is a document as it was read.
type RawDocument struct {
	Bytes  []byte
	Line   int
	Broken error // why it cannot be a document; nil if it may be one
}

// A RawBatch is a number of documents that share a commit.
type RawBatch struct {
	File      string
	Documents []RawDocument
	Bytes     int64 // read from the file, or generated, for the progress
}

// A Source is where a load reads documents from.
type Source struct {
	Name string // the same for the same documents
	// Contents is what the store holds when all documents are loaded, if none was refused and the counts match. It may
	// be zero.
	Contents tpox.Contents
	Sample   func(k dataset.Kind, n int) [][]byte
	Batches  iter.Seq2[RawBatch, error]
	Validate bool // validate each document by its schema
	// Refused is called for each document that is not loaded, and again if its batch is retried. If it returns an error,
	// the load ends without the batch.
	Refused func(file string, line int, err error) error
}

// Loaded is what a load from a source has stored.
type Loaded struct {
	Source    string                    `json:"source"`
	Documents [len(dataset.Kinds)]int64 `json:"documents"`
	Raw       [len(dataset.Kinds)]int64 `json:"raw"` // bytes of the documents, in the normal form
	Refused   int64                     `json:"refused"`
}

// Finished returns the settings that a finished load stores. SettingContents is as expected if no document was refused
// and the counts match; if not, its fingerprint is made of the source and the counts.
func (l Loaded) Finished(expected tpox.Contents) map[string]any {
	c := tpox.Contents{
		Securities: l.Documents[dataset.Security], Customers: l.Documents[dataset.Customer],
		Orders: l.Documents[dataset.Order],
	}
	if l.Refused == 0 &&
		c.Securities == expected.Securities && c.Customers == expected.Customers && c.Orders == expected.Orders {
		c = expected
	} else {
		c.Fingerprint = fmt.Sprintf("%s/%d-%d-%d", l.Source, c.Securities, c.Customers, c.Orders)
	}
	settings := map[string]any{SettingContents: c, SettingLoaded: l}
	for _, k := range dataset.Kinds {
		settings[SettingRaw+k.String()] = l.Raw[k]
	}
	return settings
}

// ContentsOf returns what a store holds after it was loaded with a dataset.
func ContentsOf(d *dataset.Dataset) tpox.Contents {
	spec := d.Spec()
	return tpox.Contents{
		Fingerprint: d.Fingerprint(), Scale: spec.Scale.String(), Profile: spec.Profile.String(), Seed: spec.Seed,
		Securities: d.Count(dataset.Security), Customers: d.Count(dataset.Customer), Orders: d.Count(dataset.Order),
	}
}

// Space is the size of a database by its parts.
type Space struct {
	Documents [len(dataset.Kinds)]int64 // stored now
	// Raw is the bytes of the documents that were loaded, in the normal form: without comments and XML declaration, but
	// with the white space between elements. Later writes of clients do not change it.
	Raw [len(dataset.Kinds)]int64
	// Stored is the bytes of the tables: documents, other columns, and free space in pages; in SQLite, also primary keys.
	Stored  [len(dataset.Kinds)]int64
	Indexes []IndexSpace // by name
	Rest    int64        // dictionaries, settings, kept answers, free pages
	File    int64        // bytes of the database: Stored, Indexes and Rest together
	Journal int64        // the write-ahead log, which is another file
}

// An IndexSpace is the size of an index.
type IndexSpace struct {
	Name  string
	Bytes int64
}

// kinds holds the root element of each kind of document, and the functions that read its keys and validate it.
var kinds = [...]struct {
	namespace, root string
	keys            func(doc []byte) (any, error)
	validate        func(doc []byte) error
}{
	dataset.Security: {tpox.SecurityNS, "Security", keys(tpox.SecurityKeysOf), tpox.ValidateSecurity},
	dataset.Customer: {tpox.CustAccNS, "Customer", keys(tpox.CustomerKeysOf), tpox.ValidateCustomer},
	dataset.Order:    {tpox.FIXMLNS, "FIXML", keys(tpox.OrderKeysOf), tpox.ValidateOrder},
}

func keys[K any](of func(doc []byte) (K, error)) func(doc []byte) (any, error) {
	return func(doc []byte) (any, error) { return of(doc) }
}

// kindOf returns the kind of a document by its root element.
func kindOf(doc []byte) (dataset.Kind, error) {
	root := xmldoc.Root(doc)
	space, name := root.Space(), string(root.Local())
	for _, k := range dataset.Kinds {
		if kinds[k].namespace == space && kinds[k].root == name {
			return k, nil
		}
	}
	return 0, fmt.Errorf("element %s of namespace %q is neither a customer nor a security nor an order", name, space)
}

// KeysOf reads tpox.SecurityKeys, CustomerKeys or OrderKeys.
func KeysOf(k dataset.Kind, doc []byte) (any, error) { return kinds[k].keys(doc) }

// Validate checks a document against the schema of its kind.
func Validate(k dataset.Kind, doc []byte) error { return kinds[k].validate(doc) }

var quantities = xmldoc.MustPath(xmldoc.Namespaces{"c": tpox.CustAccNS},
	"c:Customer/c:Accounts/c:Account/c:Holdings/c:Position/c:Quantity")

// Overdrawn reports whether a position of a customer is below zero.
func Overdrawn(customer []byte) bool {
	for quantity := range quantities.All(xmldoc.Document(customer)) {
		q := bytes.TrimSpace(quantity.Text())
		if len(q) > 0 && q[0] == '-' && bytes.ContainsAny(q, "123456789") {
			return true
		}
	}
	return false
}

// A Loader loads datasets, and documents from a source. Its fields are the steps that differ between stores; T is a
// store's transaction.
type Loader[T any] struct {
	Record *LoadRecord
	// Frame marks the named load as begun, calls load, then marks it finished in a transaction that calls end.
	Frame func(ctx context.Context, name string, load func() error, end func(T) error) error
	// Packing prepares documents, on all processors.
	Packing Packing
	// Write calls do(tx) in a transaction. It may repeat that, from the beginning, if nothing was committed before.
	Write func(ctx context.Context, do func(T) error) error
	// Insert stores the documents that are not Refused, and sets Refused for those whose keys exist.
	Insert func(tx T, documents []PreparedDocument) error
	// RaiseLeases makes leases begin above the ids that were loaded.
	RaiseLeases func(T) error
	Set         func(tx T, name string, value any) error
}

// Load fills a store with documents from a source. Documents that are not admitted, or whose keys exist, are reported
// to from.Refused and left out. After an interruption the store is not ready, and refuses another load.
func (l *Loader[T]) Load(ctx context.Context, from Source, progress Progress) (loaded Loaded, err error) {
	if loaded, err = l.Record.LoadedFrom(ctx); err != nil {
		return loaded, err
	}
	if done, err := l.Record.Done(ctx, from.Name); done || err != nil {
		return loaded, err
	}
	loaded = Loaded{Source: from.Name}
	err = l.Frame(ctx, from.Name, func() error {
		prepare := func(raw RawBatch) prepared { return l.Packing.prepare(raw, from.Validate) }
		return InOrder(ctx, from.Batches, prepare, func(b prepared) error {
			next, err := l.insert(ctx, b, loaded, from.Refused)
			if err != nil {
				return err
			}
			if progress != nil {
				progress(len(b.documents), b.raw.Bytes)
			}
			loaded = next
			return nil
		})
	}, func(tx T) error { return l.finish(tx, loaded.Finished(from.Contents)) })
	return loaded, err
}

// LoadDataset fills a store with a generated dataset, kind by kind, in chunks of chunkSize documents, which all
// processors prepare. Up to atOnce chunks are inserted at once; with 1, in order. A finished load is not repeated.
func (l *Loader[T]) LoadDataset(
	ctx context.Context, d *dataset.Dataset, chunkSize int64, atOnce int, progress Progress,
) error {
	contents := ContentsOf(d)
	if done, err := l.Record.Done(ctx, contents.Fingerprint); done || err != nil {
		return err
	}
	settings := map[string]any{SettingContents: contents}
	return l.Frame(ctx, contents.Fingerprint, func() error {
		for _, k := range dataset.Kinds {
			var mu sync.Mutex // for raw, and for one call of progress at a time
			var raw int64
			generate := func(first int64) prepared {
				return l.Packing.generate(d, k, first, min(first+chunkSize, d.Count(k)))
			}
			chunks, until := errgroup.WithContext(ctx)
			chunks.SetLimit(atOnce)
			insert := func(chunk prepared) error {
				_, err := l.insert(until, chunk, Loaded{}, func(_ string, _ int, err error) error { return err })
				mu.Lock()
				defer mu.Unlock()
				if err == nil && progress != nil {
					progress(len(chunk.documents), chunk.raw.Bytes)
				}
				raw += chunk.raw.Bytes
				return err
			}
			firsts := func(yield func(int64, error) bool) {
				for first := int64(0); first < d.Count(k) && yield(first, nil); first += chunkSize {
				}
			}
			generated := InOrder(until, firsts, generate, func(chunk prepared) error {
				chunks.Go(func() error { return insert(chunk) })
				return nil
			})
			inserted := chunks.Wait()
			if err := cmp.Or(ctx.Err(), inserted, generated); err != nil {
				return err
			}
			settings[SettingRaw+k.String()] = raw
		}
		return nil
	}, func(tx T) error { return l.finish(tx, settings) })
}

// finish makes leases begin above the ids that were loaded, and stores the settings.
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

// insert commits a batch and reports its refused documents. It returns loaded plus the counts of the batch.
func (l *Loader[T]) insert(
	ctx context.Context, b prepared, loaded Loaded, refused func(file string, line int, err error) error,
) (next Loaded, err error) {
	err = l.Write(ctx, func(tx T) error {
		// What an earlier try counted and refused is void.
		next = loaded
		documents := slices.Clone(b.documents)
		if err := l.Insert(tx, documents); err != nil {
			return err
		}
		for i, d := range documents {
			if d.Refused == nil {
				next.Documents[d.Kind]++
				next.Raw[d.Kind] += int64(d.Size)
				continue
			}
			next.Refused++
			if err := refused(b.raw.File, b.raw.Documents[i].Line, d.Refused); err != nil {
				return err
			}
		}
		return nil
	})
	return next, err
}
