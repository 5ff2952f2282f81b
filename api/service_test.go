package api_test

import (
	"encoding/xml"
	"fmt"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// The service's own answers, in its own namespace.

type ofService struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Children   []ofService
	Text       string `xml:",chardata"`
}

// node makes an element: a name, and attributes as name, value, name, value.
func node(name string, attributes ...string) ofService {
	n := ofService{XMLName: xml.Name{Local: name}}
	for i := 0; i < len(attributes); i += 2 {
		n.Attributes = append(n.Attributes, xml.Attr{Name: xml.Name{Local: attributes[i]}, Value: attributes[i+1]})
	}
	return n
}

func (n ofService) with(children ...ofService) ofService {
	n.Children = append(n.Children, children...)
	return n
}

func text(name, value string) ofService {
	n := node(name)
	n.Text = value
	return n
}

const serviceNS = "urn:brokerage:service"

func (r *recorder) service() {
	contents, err := r.store.Contents(r.Context())
	require.NoError(r, err)
	require.Equal(r, r.d.Fingerprint(), contents.Fingerprint)
	answer := datasetAnswer(r.d).with(storeAnswer(r.store.Describe()))
	r.answer("get_dataset", answer)
	symbols := node("Symbols")
	for i := range int(r.d.Count(dataset.Security)) {
		symbols = symbols.with(text("Symbol", r.d.Symbol(i)))
	}
	r.answer("get_dataset.symbols", answer.with(symbols))

	r.answer("get_health", node("Health", "xmlns", serviceNS, "status", "alive"))
	r.answer("get_readiness", node("Readiness", "xmlns", serviceNS, "status", "ready"))
	r.answer("get_version",
		node("Version", "xmlns", serviceNS, "version", "v1.0.0", "generator", fmt.Sprint(dataset.Version), "go", "go1.26.2",
			"database", "5f0c8d1e9a3b47628c1d0e5f6a7b8c9d", "durability", tpox.Durable))
}

func (r *recorder) answer(operation string, n ofService) {
	r.Helper()
	b, err := xml.Marshal(n)
	r.got(operation)(b, err)
}

// datasetAnswer returns get_dataset's answer for a generated dataset.
func datasetAnswer(d *dataset.Dataset) ofService {
	documents := func(name string, k dataset.Kind) ofService {
		return node(name, "count", fmt.Sprint(d.Count(k)), "first", fmt.Sprint(d.ID(k, 0)))
	}
	// The pattern of account ids repeats after this many customers; stride and offsets are computed from the ids.
	period := map[dataset.Profile]int64{dataset.TPoX1: 2, dataset.TPoX2: 3}[d.Spec().Profile]
	accounts := node("Accounts", "count", fmt.Sprint(d.TotalAccounts()), "first", fmt.Sprint(d.FirstAccount(0)),
		"stride", fmt.Sprint(d.FirstAccount(period)-d.FirstAccount(0)))
	for k := range period {
		accounts = accounts.with(node("Customer", "offset", fmt.Sprint(d.FirstAccount(k)-d.FirstAccount(0)), "accounts",
			fmt.Sprint(d.Accounts(k))))
	}
	search := node("Search").with(node("PEMin", "from", "20", "to", "23"), node("PEMax", "from", "25", "to", "27"),
		node("YieldMin", "from", "4", "to", "6"))
	for _, sector := range dataset.Sectors() {
		search = search.with(text("Sector", sector))
	}
	return node("Dataset", "xmlns", serviceNS, "fingerprint", d.Fingerprint(), "scale", d.Spec().Scale.String(), "profile",
		d.Spec().Profile.String(),
		"seed", fmt.Sprint(d.Spec().Seed), "generator", fmt.Sprint(dataset.Version)).
		with(documents("Securities", dataset.Security), documents("Customers", dataset.Customer),
			documents("Orders", dataset.Order), accounts, search)
}

// storeAnswer returns the part of get_dataset's answer that describes the store.
func storeAnswer(e tpox.EngineInfo) ofService {
	n := node("Store", "engine", e.Name, "version", e.Version, "durability", e.Durability)
	for _, setting := range e.Settings {
		n = n.with(node("Setting", "name", setting.Name, "value", setting.Value))
	}
	for _, t := range tpox.Transactions {
		if faithful, known := e.Faithful[t.Name]; known {
			n = n.with(node("Transaction", "name", t.Name, "faithful", string(faithful)))
		}
	}
	return n
}
