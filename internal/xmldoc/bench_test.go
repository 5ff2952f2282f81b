package xmldoc_test

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

var tpox = xmldoc.Namespaces{
	"c": "http://tpox-benchmark.com/custacc",
	"f": "http://www.fixprotocol.org/FIXML-4-4",
	"s": "http://tpox-benchmark.com/security",
}

// sample is a generated document, with the paths that transactions use on its kind.
type sample struct {
	doc []byte

	all   *xmldoc.Path // all nodes on it are visited, so that the whole document is read
	set   *xmldoc.Set  // its lookup stops when everything is found
	found []xmldoc.Node
	edit  *xmldoc.Path
	cut   *xmldoc.Path
}

// samples returns, for each kind, the document closest to the typical size among those of the first hundred that have
// every path of the set.
func samples(t testing.TB) map[string]sample {
	t.Helper()
	all := map[string]sample{
		"Customer": {
			all: xmldoc.MustPath(tpox, "c:Customer/c:Accounts/c:Account/c:Holdings/c:Position/c:Quantity"),
			set: xmldoc.MustSet(tpox, "c:Customer/c:Name", "c:Customer/c:DateOfBirth", "c:Customer/c:Gender",
				"c:Customer/c:CountryOfResidence",
				"c:Customer/c:Languages", "c:Customer/c:Addresses/c:Address", "c:Customer/c:Addresses/c:EmailAddresses"),
			found: make([]xmldoc.Node, 7),
			edit:  xmldoc.MustPath(tpox, "c:Customer/c:Accounts/c:Account/c:Balance/c:WorkingBalance"),
			cut:   xmldoc.MustPath(tpox, "c:Customer/c:Accounts/c:Account"),
		},
		"Order": {
			all:   xmldoc.MustPath(tpox, "f:FIXML/f:Order/f:OrdQty/@Cash"),
			set:   xmldoc.MustSet(tpox, "f:FIXML/f:Order/@ID", "f:FIXML/f:Order/@Acct", "f:FIXML/f:Order/f:OrdQty/@Cash"),
			found: make([]xmldoc.Node, 3),
			edit:  xmldoc.MustPath(tpox, "f:FIXML/f:Order/@Acct"),
			cut:   xmldoc.MustPath(tpox, "f:FIXML/f:Order"),
		},
		"Security": {
			all: xmldoc.MustPath(tpox, "s:Security/s:Price/s:PriceToday/s:Open"),
			set: xmldoc.MustSet(tpox, "s:Security/s:Name", "s:Security/s:Price/s:LastTrade", "s:Security/s:Price/s:Ask",
				"s:Security/s:Price/s:Bid",
				"s:Security/s:Price/s:PriceToday/s:Open"),
			found: make([]xmldoc.Node, 5),
			edit:  xmldoc.MustPath(tpox, "s:Security/s:Price/s:LastTrade"),
			cut:   xmldoc.MustPath(tpox, "s:Security/s:Price"),
		},
	}

	scale, err := dataset.ParseScale("XXXS")
	require.NoError(t, err)
	data := dataset.New(dataset.Spec{Scale: scale})
	for name, typical := range map[string]struct {
		kind dataset.Kind
		size int
	}{
		"Customer": {dataset.Customer, 6000},
		"Order":    {dataset.Order, 1500},
		"Security": {dataset.Security, 6000},
	} {
		s := all[name]
		distance := func(doc []byte) int { return max(len(doc)-typical.size, typical.size-len(doc)) }
		for i := range int64(100) {
			doc, err := xmldoc.Admit(data.Append(nil, typical.kind, i), xmldoc.Limits{})
			require.NoError(t, err)
			s.set.Find(xmldoc.Document(doc), s.found)
			complete := !slices.ContainsFunc(s.found, func(n xmldoc.Node) bool { return !n.Exists() })
			if complete && (s.doc == nil || distance(doc) < distance(s.doc)) {
				s.doc = doc
			}
		}
		require.NotNil(t, s.doc)
		all[name] = s
	}
	return all
}

// Reading happens in every request, so it must not allocate; neither must admission into memory of the caller.
func TestAllocations(t *testing.T) {
	none := func(t *testing.T, what string, f func()) {
		t.Helper()
		require.Zero(t, testing.AllocsPerRun(200, f), what)
	}
	for name, s := range samples(t) {
		t.Run(name, func(t *testing.T) {
			root := xmldoc.Document(s.doc)
			require.True(t, s.all.Find(root).Exists())
			require.True(t, s.edit.Find(root).Exists())
			require.True(t, s.cut.Find(root).Exists())

			none(t, "Path.Find", func() { s.all.Find(root) })
			none(t, "Path.All and Text", func() {
				length := 0
				for n := range s.all.All(root) {
					length += len(n.Text())
				}
				if length == 0 {
					panic("no text")
				}
			})
			none(t, "Set.Find", func() { s.set.Find(root, s.found) })
			none(t, "Node.Attr", func() { xmldoc.Root(s.doc).Attr("id") })
			none(t, "Node.Is", func() { s.edit.Find(root).Is("x") })

			room := make([]byte, 0, 2*len(s.doc))
			none(t, "Node.AppendStandalone", func() { s.cut.Find(root).AppendStandalone(room) })
			if raceDetector() {
				return // sync.Pool then drops some of its values at random
			}
			none(t, "AppendAdmitted", func() { must(xmldoc.AppendAdmitted(room, s.doc, xmldoc.Limits{})) })
		})
	}
}

func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// each measures the function that prepare returns, for a document of each kind.
func each(b *testing.B, prepare func(s sample) (size int, do func())) {
	b.Helper()
	all := samples(b)
	for _, name := range []string{"Customer", "Order", "Security"} {
		size, do := prepare(all[name])
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func BenchmarkAdmit(b *testing.B) {
	each(b, func(s sample) (int, func()) {
		room := make([]byte, 0, 2*len(s.doc))
		return len(s.doc), func() { must(xmldoc.AppendAdmitted(room, s.doc, xmldoc.Limits{})) }
	})
}

func BenchmarkFind(b *testing.B) {
	each(b, func(s sample) (int, func()) {
		return len(s.doc), func() {
			var last xmldoc.Node
			for n := range s.all.All(xmldoc.Document(s.doc)) {
				last = n
			}
			if len(last.Text()) == 0 {
				panic("not found")
			}
		}
	})
}
