package storetest

import (
	"fmt"

	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// Documents returns all documents of some kinds.
func Documents(d *dataset.Dataset, kinds ...dataset.Kind) (docs [][]byte) {
	for _, k := range kinds {
		for i := range d.Count(k) {
			docs = append(docs, d.Append(nil, k, i))
		}
	}
	return docs
}

// Source returns documents in batches of size, each batch from a numbered file with a document on every tenth line.
// Refusals are added to refused; if that is nil, the first ends the load.
func Source(name string, size int, refused *[]string, docs ...[]byte) store.Source {
	return store.Source{
		Name: name,
		Sample: func(k dataset.Kind, n int) (docs [][]byte) {
			d := dataset.New(dataset.Spec{Seed: 1})
			for i := range int64(min(n, 100)) { // more would only take longer
				docs = append(docs, d.Append(nil, k, i))
			}
			return docs
		},
		Refused: func(file string, line int, err error) error {
			err = fmt.Errorf("%s:%d: %w", file, line, err)
			if refused == nil {
				return err
			}
			*refused = append(*refused, err.Error())
			return nil
		},
		Batches: func(yield func(store.RawBatch, error) bool) {
			for from := 0; from < len(docs); from += size {
				b := store.RawBatch{File: fmt.Sprintf("file-%d", from/size)}
				for i, doc := range docs[from:min(from+size, len(docs))] {
					b.Documents = append(b.Documents, store.RawDocument{Bytes: doc, Line: 1 + 10*i})
					b.Bytes += int64(len(doc))
				}
				if !yield(b, nil) {
					return
				}
			}
		},
	}
}
