package campaign

import (
	"context"
	"errors"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// opened implements the methods of Engine that open a database on a server and ask it.
type opened[S openStore] struct {
	// open opens the database. With asIs it creates nothing, and returns empty where there is no schema.
	open  func(ctx context.Context, asIs bool) (S, error)
	empty error
}

// openStore is what these methods need of a store.
type openStore interface {
	loadable
	LoadDataset(ctx context.Context, d *dataset.Dataset, progress bulk.Progress) error
	LoadedDocuments(ctx context.Context, k dataset.Kind) (int64, error)
	Close() error
}

// with calls do with the open database.
func (o opened[S]) with(ctx context.Context, asIs bool, do func(S) error) (err error) {
	s, err := o.open(ctx, asIs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(s)
}

// Holds creates no schema where there is none.
func (o opened[S]) Holds(ctx context.Context) (name string, err error) {
	err = o.with(ctx, true, func(s S) error {
		name, err = holds(ctx, s)
		return err
	})
	if errors.Is(err, o.empty) {
		return "", nil
	}
	return name, err
}

func (o opened[S]) Load(ctx context.Context, d *dataset.Dataset, progress func(int, int64)) error {
	return o.with(ctx, false, func(s S) error { return s.LoadDataset(ctx, d, progress) })
}

func (o opened[S]) Loaded(ctx context.Context, k dataset.Kind) (n int64, err error) {
	err = o.with(ctx, true, func(s S) error {
		n, err = s.LoadedDocuments(ctx, k)
		return err
	})
	return n, err
}

func (o opened[S]) Space(ctx context.Context) (space Space, err error) {
	err = o.with(ctx, true, func(s S) error {
		space, err = measureSpace(ctx, s)
		return err
	})
	return space, err
}

// loadable is an open store before any run.
type loadable interface {
	Loading(ctx context.Context) (string, error)
	Contents(ctx context.Context) (brokerage.Contents, error)
	Space(ctx context.Context) (bulk.Space, error)
}

// holds returns what Engine.Holds returns, of an open database.
func holds(ctx context.Context, s loadable) (name string, err error) {
	if name, err = s.Loading(ctx); err != nil || name != "" {
		return name, err
	}
	contents, err := s.Contents(ctx)
	if name = contents.Fingerprint; err != nil || name != "" {
		return name, err
	}
	space, err := s.Space(ctx)
	for _, n := range space.Documents {
		if n > 0 {
			name = "documents that were not loaded"
		}
	}
	return name, err
}

func measureSpace(ctx context.Context, s loadable) (Space, error) {
	space, err := s.Space(ctx)
	out := Space{Indexes: []NamedBytes{}, Rest: space.Rest, Total: space.File, Journal: space.Journal}
	for _, k := range dataset.Kinds {
		b := KindBytes{Kind: k.String(), Documents: space.Documents[k], Raw: space.Raw[k], Stored: space.Stored[k]}
		if b.Raw > 0 {
			b.Ratio = float64(b.Stored) / float64(b.Raw)
		}
		out.Kinds = append(out.Kinds, b)
		out.Raw += b.Raw
	}
	for _, index := range space.Indexes {
		out.Indexes = append(out.Indexes, NamedBytes{index.Name, index.Bytes})
	}
	return out, err
}

// described returns the description of a store for campaign.json.
func described(url, validation string, e brokerage.Engine) Store {
	s := Store{
		Engine: e.Name, Version: e.Version, URL: url, Durability: e.Durability, Validation: validation,
		Settings: make(map[string]string, len(e.Settings)),
	}
	for _, setting := range e.Settings {
		s.Settings[setting.Name] = setting.Value
	}
	return s
}

// rawBytes returns the size of all documents of a dataset.
func rawBytes(d *dataset.Dataset) (bytes float64) {
	for _, k := range dataset.Kinds {
		bytes += float64(d.ExpectedBytes(k))
	}
	return bytes
}
