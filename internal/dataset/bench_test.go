package dataset_test

import (
	"testing"

	"brokerage/internal/dataset"
)

func BenchmarkAppend(b *testing.B) {
	for _, profile := range []dataset.Profile{dataset.TPoX2, dataset.TPoX1} {
		d := dataset.New(dataset.Spec{Scale: scale(b, "M"), Profile: profile, Seed: 1})
		for _, kind := range dataset.Kinds {
			b.Run(profile.String()+"/"+kind.String(), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(d.MeanSize(kind)))
				var doc []byte
				i := int64(0)
				for b.Loop() {
					doc = d.Append(doc[:0], kind, i)
					i = (i + 1) % d.Count(kind)
				}
			})
		}
	}
}
