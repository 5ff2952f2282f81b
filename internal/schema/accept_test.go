package schema

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// accepted reports whether a document is admitted and the automaton accepts it. It fails the test if the engine refuses
// a document that the automaton accepts.
func accepted(t testing.TB, v *Validator, doc []byte) bool {
	t.Helper()
	doc, err := xmldoc.Admit(doc, xmldoc.Limits{Bytes: 2 * maxAccepted, Nodes: maxAccepted})
	if err != nil || !v.fast.accept(doc) {
		return false
	}
	require.NoError(t, v.judge(doc), "%q", doc)
	return true
}

// generated returns n documents of each kind and profile, by the name of their document element.
func generated(n int64) map[string][][]byte {
	docs := map[string][][]byte{}
	for kind, root := range map[dataset.Kind]string{
		dataset.Customer: "Customer", dataset.Security: "Security", dataset.Order: "FIXML",
	} {
		for _, profile := range []dataset.Profile{dataset.TPoX2, dataset.TPoX1} {
			scale, _ := dataset.ParseScale("XXS")
			d := dataset.New(dataset.Spec{Scale: scale, Profile: profile, Seed: 8})
			for i := range n {
				docs[root] = append(docs[root], d.Append(nil, kind, i))
			}
		}
	}
	return docs
}

// The automaton accepts all documents of the benchmark. Without this test, only a benchmark would show that it does
// not.
func TestAccept_Generated(t *testing.T) {
	docs := generated(2000)
	for _, s := range schemaFiles {
		t.Run(s.root, func(t *testing.T) {
			v := s.validator()
			require.Len(t, docs[s.root], 4000)
			for i, doc := range docs[s.root] {
				require.True(t, v.fast.accept(doc), "%s", doc)
				if i%20 == 0 {
					require.NoError(t, v.judge(doc), "%s", doc)
				}
			}
		})
	}
}

// The automaton accepts the examples and the kit's documents, except for a prefix, and a token with blanks around it.
func TestAccept_Examples(t *testing.T) {
	unusual := []string{"security-fund.xml", "customer.xml", "customer-no-position.xml"}
	for _, s := range schemaFiles {
		for _, name := range s.examples {
			usual := !slices.Contains(unusual, name)
			require.Equal(t, usual, accepted(t, s.validator(), example(t, name)), name)
		}
	}
}

func TestAccept_Kit(t *testing.T) {
	for _, s := range schemaFiles {
		for _, name := range s.kit {
			require.True(t, accepted(t, s.validator(), kitFile(t, name)), name)
		}
	}
}

// TestAccept_Mutants: the engine accepts every document that the automaton accepts. Documents are damaged in their
// tree, as for the comparison with other processors, and in their bytes.
func TestAccept_Mutants(t *testing.T) {
	docs := generated(100)
	for _, s := range schemaFiles {
		t.Run(s.root, func(t *testing.T) {
			v := s.validator()
			for _, name := range s.examples {
				plain := []byte(usual.Replace(string(admitted(t, example(t, name)))))
				require.True(t, accepted(t, v, plain), name)
				docs[s.root] = append(docs[s.root], plain)
			}
			r := rand.New(rand.NewPCG(2026, 11))
			const each = 60
			valid, all := 0, 0
			for _, doc := range docs[s.root] {
				tree := treeOf(t, doc)
				for i := range each {
					mutant := doc
					if i%3 == 0 {
						mutant = []byte(written(mutate(r, tree)))
					}
					if i%3 != 0 || i%2 == 0 {
						mutant = damage(r, mutant)
					}
					all++
					if accepted(t, v, mutant) {
						valid++
					}
				}
			}
			requireBothVerdicts(t, valid, all)
		})
	}
}

var usual = strings.NewReplacer("<s:", "<", "</s:", "</", "xmlns:s=", "xmlns=", "> Female <", ">Female<")

// The automaton accepts none of these, the engine some.
func TestAccept_DontKnow(t *testing.T) {
	minimal := string(example(t, "order-minimal.xml"))
	typical := string(generated(1)["FIXML"][0])
	require.True(t, accepted(t, Order(), []byte(minimal)))
	for _, c := range []struct{ name, doc, from, to string }{
		{"OtherNamespace", minimal, `FIXML-4-4`, `FIXML-4-5`},
		{"NoNamespace", minimal, ` xmlns="http://www.fixprotocol.org/FIXML-4-4"`, ``},
		{"NamespaceInside", minimal, `<OrdQty`, `<OrdQty xmlns="http://www.fixprotocol.org/FIXML-4-4"`},
		{"Prefix", minimal, `<FIXML`, `<FIXML xmlns:p="urn:p"`},
		{"BlankInEmptyElement", minimal, `<OrdQty Qty="10"/>`, `<OrdQty Qty="10"> </OrdQty>`},
		{"TypeOfOtherSchema", typical, `xsi:schemaLocation="`, `xsi:type="a" xsi:schemaLocation="`},
		{"PrefixOfOtherNamespace", typical, `XMLSchema-instance"`, `XMLSchema-instance2"`},
		{"LocationsOdd", typical, ` fixml-main-4-4.xsd"`, `"`},
		{"LocationNoURI", typical, ` fixml-main-4-4.xsd"`, ` %zz"`},
		{"Large", minimal, `"FJORD"`, `"` + strings.Repeat("F", maxAccepted) + `"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, c.doc, c.from)
			require.False(t, accepted(t, Order(), []byte(strings.Replace(c.doc, c.from, c.to, 1))))
		})
	}
}

// The limits of the engine allow the largest documents that the automaton accepts.
func TestAccept_LargeDocuments(t *testing.T) {
	minimal, stock := example(t, "order-minimal.xml"), admitted(t, example(t, "security-stock.xml"))
	room := maxAccepted - len(stock)
	require.True(t, accepted(t, Order(), replaced(t, minimal, `"FJORD"`, `"`+strings.Repeat("F", room)+`"`)))
	for _, text := range []string{"x y ", "&amp;", "<Product>x</Product>"} {
		require.True(t, accepted(t, Security(), replaced(t, stock, "Sails ", strings.Repeat(text, room/len(text)))), text)
	}
}

func TestAccept_AllocatesNothing(t *testing.T) {
	for root, docs := range generated(1) {
		for _, s := range schemaFiles {
			if s.root == root {
				v := s.validator()
				require.Zero(t, testing.AllocsPerRun(100, func() { _ = v.Validate(docs[0]) }), root)
			}
		}
	}
}
