package compare

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

const (
	custacc = "http://tpox-benchmark.com/custacc"
	fixml   = "http://www.fixprotocol.org/FIXML-4-4"
)

// candidate is one way to do the tasks. A nil task does not fit the library.
// All get bytes, as a store gives them, and keep nothing between calls but what
// they have compiled.
type candidate struct {
	name string

	// lastQuantity is the text of the last
	// Customer/Accounts/Account/Holdings/Position/Quantity.
	lastQuantity func(doc []byte) (string, error)

	// profile writes the elements of a customer profile, one after the other,
	// so that they can stand where custacc is the default namespace.
	profile func(out *bytes.Buffer, doc []byte) error

	// order reads three attributes of an order.
	order func(doc []byte) (order, error)

	// admit checks a document as strictly as the candidate can and writes it
	// anew, the same way throughout: <name></name>, double quotes, no comments.
	admit func(out *bytes.Buffer, doc []byte) error

	// edit sets the text of the first
	// Customer/Accounts/Account/Balance/WorkingBalance and writes the document.
	edit func(out *bytes.Buffer, doc []byte, text string) error
}

type order struct{ id, account, cash string }

var errMissing = errors.New("element not found")

var candidates = slices.Concat(xmldocs, std, []candidate{
	etrees.trees("etree", etreeAdmit),
	xmlqueries.trees("xmlquery", xmlqueryAdmit),
	heliums.trees("helium-xpath", nil),
	heliumWalks.trees("helium-walk", heliumAdmit),
	heliumSAX,
})

// document is, of the first hundred generated documents of a kind (customers
// with a complete profile), the one whose size is nearest to the size wanted.
// It is in the normal form.
func document(t testing.TB, kind dataset.Kind) []byte {
	t.Helper()
	size := map[dataset.Kind]int{dataset.Customer: 6000, dataset.Order: 1500, dataset.Security: 6000}[kind]
	distance := func(doc []byte) int { return max(len(doc)-size, size-len(doc)) }
	scale, err := dataset.ParseScale("XXXS")
	require.NoError(t, err)
	set := dataset.New(dataset.Spec{Scale: scale})
	var best []byte
	for i := range int64(100) {
		doc := set.Append(nil, kind, i)
		if kind == dataset.Customer && !bytes.Contains(doc, []byte("<EmailAddresses>")) {
			continue
		}
		if best == nil || distance(doc) < distance(best) {
			best = doc
		}
	}
	best, err = xmldoc.Admit(best, xmldoc.Limits{})
	require.NoError(t, err)
	return best
}

func TestCandidates_Agree(t *testing.T) {
	customer, fix, security := document(t, dataset.Customer), document(t, dataset.Order), document(t, dataset.Security)
	t.Logf("customer %d bytes, order %d, security %d", len(customer), len(fix), len(security))

	reference := xmldocs[0]
	quantity, err := reference.lastQuantity(customer)
	require.NoError(t, err)
	require.Regexp(t, `^[0-9]+\.[0-9]+$`, quantity)
	var profile, edited bytes.Buffer
	require.NoError(t, reference.profile(&profile, customer))
	wanted := says(t, within(profile.Bytes()))
	for _, name := range []string{"Name", "DateOfBirth", "Gender", "CountryOfResidence", "Languages", "Address",
		"EmailAddresses"} {
		require.Regexp(t, "<"+name+"[ >]", wanted)
	}
	attributes, err := reference.order(fix)
	require.NoError(t, err)
	require.Regexp(t, `^[0-9]+ [0-9]+ [0-9.]+$`, strings.Join([]string{attributes.id, attributes.account,
		attributes.cash}, " "))
	require.NoError(t, reference.edit(&edited, customer, "1 < 2"))
	require.Contains(t, edited.String(), "<WorkingBalance>1 &lt; 2</WorkingBalance>")

	for _, c := range candidates {
		t.Run(c.name, func(t *testing.T) {
			if c.lastQuantity != nil {
				got, err := c.lastQuantity(customer)
				require.NoError(t, err)
				require.Equal(t, quantity, got)
			}
			if c.profile != nil {
				var out bytes.Buffer
				require.NoError(t, c.profile(&out, customer))
				require.Equal(t, wanted, says(t, within(out.Bytes())))
			}
			if c.order != nil {
				got, err := c.order(fix)
				require.NoError(t, err)
				require.Equal(t, attributes, got)
			}
			if c.admit != nil {
				for _, doc := range [][]byte{customer, fix, security} {
					var out bytes.Buffer
					require.NoError(t, c.admit(&out, doc))
					require.Equal(t, says(t, doc), says(t, out.Bytes()))
				}
			}
			if c.edit != nil {
				var out bytes.Buffer
				require.NoError(t, c.edit(&out, customer, "1 < 2"))
				require.Equal(t, says(t, edited.Bytes()), says(t, out.Bytes()))
			}
		})
	}
}

// within returns a document that encloses elements of the namespace custacc.
func within(elements []byte) []byte {
	return slices.Concat([]byte(`<o xmlns="`+custacc+`">`), elements, []byte("</o>"))
}

// says returns the meaning of a document, wherever it declares its namespaces.
func says(t testing.TB, doc []byte) string {
	t.Helper()
	doc, err := xmldoc.Admit(doc, xmldoc.Limits{})
	require.NoError(t, err, "%s", doc)
	return string(xmldoc.Canonical(doc))
}

func BenchmarkLastQuantity(b *testing.B) {
	doc := document(b, dataset.Customer)
	each(b, doc, func(c candidate) (bool, func(*bytes.Buffer) error) {
		return c.lastQuantity != nil, func(*bytes.Buffer) error { _, err := c.lastQuantity(doc); return err }
	})
}

func BenchmarkProfile(b *testing.B) {
	doc := document(b, dataset.Customer)
	each(b, doc, func(c candidate) (bool, func(*bytes.Buffer) error) {
		return c.profile != nil, func(out *bytes.Buffer) error { return c.profile(out, doc) }
	})
}

func BenchmarkOrder(b *testing.B) {
	doc := document(b, dataset.Order)
	each(b, doc, func(c candidate) (bool, func(*bytes.Buffer) error) {
		return c.order != nil, func(*bytes.Buffer) error { _, err := c.order(doc); return err }
	})
}

func BenchmarkAdmit(b *testing.B) {
	for _, kind := range dataset.Kinds {
		b.Run(kind.String(), func(b *testing.B) {
			doc := document(b, kind)
			each(b, doc, func(c candidate) (bool, func(*bytes.Buffer) error) {
				return c.admit != nil, func(out *bytes.Buffer) error { return c.admit(out, doc) }
			})
		})
	}
}

func BenchmarkEdit(b *testing.B) {
	doc := document(b, dataset.Customer)
	each(b, doc, func(c candidate) (bool, func(*bytes.Buffer) error) {
		return c.edit != nil, func(out *bytes.Buffer) error { return c.edit(out, doc, "123456.78") }
	})
}

// each measures a task of the candidates that have it.
func each(b *testing.B, doc []byte, task func(candidate) (has bool, do func(out *bytes.Buffer) error)) {
	b.Helper()
	for _, c := range candidates {
		if has, do := task(c); has {
			var out bytes.Buffer
			b.Run(c.name, func(b *testing.B) { measure(b, doc, func() error { out.Reset(); return do(&out) }) })
		}
	}
}

// measure also reports the processor time, the garbage collector's included: it
// is the cost on a busy server, and other load on the machine affects it less.
func measure(b *testing.B, doc []byte, do func() error) {
	b.Helper()
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
