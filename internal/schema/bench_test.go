package schema

import (
	"bytes"
	"testing"

	"brokerage/internal/dataset"
)

// BenchmarkValidate validates generated documents, as they are and with many mistakes.
func BenchmarkValidate(b *testing.B) {
	for kind, v := range map[dataset.Kind]*Validator{
		dataset.Customer: Customer(), dataset.Security: Security(), dataset.Order: Order(),
	} {
		scale, _ := dataset.ParseScale("XXS")
		d := dataset.New(dataset.Spec{Scale: scale, Seed: 8})
		for name, damage := range map[string]func(doc []byte) []byte{
			"Valid":   func(doc []byte) []byte { return doc },
			"Refused": func(doc []byte) []byte { return bytes.ReplaceAll(doc, []byte(`></`), []byte(`><x></x></`)) },
		} {
			b.Run(kind.String()+"/"+name, func(b *testing.B) {
				var docs [][]byte
				size := 0
				for i := range int64(50) {
					docs = append(docs, damage(d.Append(nil, kind, i)))
					size += len(docs[i])
				}
				b.SetBytes(int64(size / len(docs)))
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := v.Validate(docs[i%len(docs)]); (err == nil) != (name == "Valid") {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
