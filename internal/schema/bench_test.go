package schema

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/api"
)

// benchmarkCustomer is a customer of the size and shape of stored ones: on one line, and with as many positions as it
// takes to reach the mean of 6.1 KB.
func benchmarkCustomer(b *testing.B) string {
	b.Helper()
	doc := regexp.MustCompile(`>\s+<`).ReplaceAll(admitted(b, example(b, "customer.xml")), []byte("><"))
	doc = replaced(b, doc, "> Female <", ">Female<") // the blanks are only in the example
	position := "<Position><Symbol>NBX</Symbol><Name>Northern Bonds Index</Name><Type>Bond Fund</Type>" +
		"<Quantity>35.25</Quantity></Position>"
	for len(doc) < 6100 {
		doc = replaced(b, doc, "</Holdings>", position+"</Holdings>")
	}
	require.NoError(b, Customer().Validate(doc))
	return string(doc)
}

// BenchmarkValidate compares the automaton with the engine, on generated documents.
func BenchmarkValidate(b *testing.B) {
	docs := generated(50)
	for _, s := range schemaFiles {
		v, docs, size := s.validator(), docs[s.root][:50], 0
		for _, doc := range docs {
			size += len(doc)
		}
		run := func(name string, valid func(doc []byte) bool) {
			b.Run(s.root+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(size / len(docs)))
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if !valid(docs[i%len(docs)]) {
						b.Fatal("not valid")
					}
				}
			})
		}
		run("fast", v.fast.accept)
		run("engine", func(doc []byte) bool { return v.judge(doc) == nil })
	}
}

// BenchmarkValidate_Parallel shows whether validations wait for each other.
func BenchmarkValidate_Parallel(b *testing.B) {
	doc := []byte(benchmarkCustomer(b))
	v := Customer()
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := v.Validate(doc); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkValidate_Refused measures explanations, whose cost a client can impose on the service: of one mistake, of
// many and of one after which the engine checks nothing, in documents of several sizes.
func BenchmarkValidate_Refused(b *testing.B) {
	for name, damage := range map[string]func(doc string) string{
		"One":       func(doc string) string { return strings.Replace(doc, "<Title>", `<Title x="1">`, 1) },
		"Many":      func(doc string) string { return strings.ReplaceAll(doc, "<Symbol>", `<Symbol x="1">`) },
		"Structure": func(doc string) string { return strings.Replace(doc, "<Nationality>Swedish</Nationality>", "", 1) },
	} {
		for _, size := range []int{6 << 10, 256 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				doc := benchmarkCustomer(b)
				position := doc[strings.Index(doc, "<Position>") : strings.Index(doc, "</Position>")+len("</Position>")]
				more := strings.Repeat(position, (size-len(doc))/len(position))
				refused := []byte(damage(strings.Replace(doc, position, position+more, 1)))
				v := Customer()
				b.SetBytes(int64(len(refused)))
				b.ReportAllocs()
				for b.Loop() {
					if v.Validate(refused) == nil {
						b.Fatal("valid")
					}
				}
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, s := range schemaFiles {
		source, err := api.Schemas.ReadFile("schema/" + s.file)
		require.NoError(b, err)
		b.Run(s.root, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := Compile(s.file, source, s.root)
				require.NoError(b, err)
			}
		})
	}
}
