package campaign

import (
	"context"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// loadable is a store as the steps before any run see it.
type loadable interface {
	Loading(ctx context.Context) (string, error)
	Contents(ctx context.Context) (brokerage.Contents, error)
	Space(ctx context.Context) (bulk.Space, error)
}

// holds is what Engine.Holds says of an open database.
func holds(ctx context.Context, s loadable) (name string, err error) {
	if name, err = s.Loading(ctx); err != nil || name != "" {
		return name, err
	}
	contents, err := s.Contents(ctx)
	if name = contents.Fingerprint; err != nil || name != "" {
		return name, err
	}
	// Documents that clients have brought into an empty database.
	space, err := s.Space(ctx)
	for _, n := range space.Documents {
		if n > 0 {
			name = "documents that were not loaded"
		}
	}
	return name, err
}

// measured is where the bytes of an open database are.
func measured(ctx context.Context, s loadable) (Space, error) {
	space, err := s.Space(ctx)
	out := Space{Indexes: []NamedBytes{}, Rest: space.Rest, Total: space.File, Journal: space.Journal}
	for _, k := range dataset.Kinds {
		out.Kinds = append(out.Kinds, kindBytes(k, space.Documents[k], space.Raw[k], space.Stored[k]))
		out.Raw += space.Raw[k]
	}
	for _, index := range space.Indexes {
		out.Indexes = append(out.Indexes, NamedBytes{index.Name, index.Bytes})
	}
	return out, err
}

func kindBytes(k dataset.Kind, documents, raw, stored int64) KindBytes {
	b := KindBytes{Kind: k.String(), Documents: documents, Raw: raw, Stored: stored}
	if raw > 0 {
		b.Ratio = float64(stored) / float64(raw)
	}
	return b
}
