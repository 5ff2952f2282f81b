package sqlite

import (
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// BenchmarkLoad is documents a second of each kind: generated and trusted, from
// elsewhere and so admitted, and validated as well.
func BenchmarkLoad(b *testing.B) {
	d := generator(b, "XXXS")
	for _, k := range dataset.Kinds {
		b.Run(k.String()+"/generated", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := trainedStore(b, d)
				b.StartTimer()
				require.NoError(b, s.loadKind(b.Context(), d, k, nil))
			}
			report(b, d.Count(k))
		})
		for name, validate := range map[string]bool{"admitted": false, "validated": true} {
			b.Run(k.String()+"/"+name, func(b *testing.B) {
				batches := rawBatches(d, k)
				for b.Loop() {
					b.StopTimer()
					s := trainedStore(b, d)
					source := Source{
						Name: "benchmark", Validate: validate,
						Batches: func(string) iter.Seq2[RawBatch, error] { return batches },
						Refused: func(file string, line int, err error) error { return fmt.Errorf("%s:%d: %w", file, line, err) },
					}
					b.StartTimer()
					_, err := s.LoadBatches(b.Context(), source, nil)
					require.NoError(b, err)
				}
				report(b, d.Count(k))
			})
		}
	}
}

func report(b *testing.B, documents int64) {
	b.ReportMetric(float64(documents)*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

func trainedStore(b *testing.B, d *dataset.Dataset) *Store {
	b.Helper()
	s := empty(b)
	require.NoError(b, s.train(b.Context(), func(k dataset.Kind, n int) [][]byte { return sample(d, k, n) }))
	require.NoError(b, s.control(b.Context(), beginLoad))
	return s
}

// rawBatches returns all documents of a kind, as from a file.
func rawBatches(d *dataset.Dataset, k dataset.Kind) iter.Seq2[RawBatch, error] {
	var batches []RawBatch
	for i := int64(0); i < d.Count(k); i += batchSize {
		batch := RawBatch{File: "documents.xml", Position: fmt.Sprint(i)}
		for j := i; j < min(i+batchSize, d.Count(k)); j++ {
			doc := d.Append(nil, k, j)
			batch.Documents = append(batch.Documents, RawDocument{Bytes: doc, Line: int(j + 1)})
			batch.Bytes += int64(len(doc))
		}
		batches = append(batches, batch)
	}
	return func(yield func(RawBatch, error) bool) {
		for _, batch := range batches {
			if !yield(batch, nil) {
				return
			}
		}
	}
}
