package dataset_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/schema"
	"brokerage/internal/testenv"
	"brokerage/internal/xmldoc"
)

// samples calls f with all documents of tiny (fewer in short tests), documents at both ends of every scale and some
// between, and documents from templates and the functions for new documents.
func samples(t *testing.T, p dataset.Profile, f func(kind, from string, doc []byte)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(p)))
	for _, s := range dataset.Scales() {
		d := dataset.New(dataset.Spec{Scale: s, Profile: p, Seed: 20260101})
		for _, k := range dataset.Kinds {
			n, count := min(d.Count(k), 20), d.Count(k)
			if s.Name == "tiny" {
				n = fewer(count)
			}
			each(d, k, 0, n, func(i int64, doc []byte) { f(k.String(), fmt.Sprintf("%s %d", s, i), doc) })
			each(d, k, count-min(count, 40), min(count, 40), func(i int64, doc []byte) {
				f(k.String(), fmt.Sprintf("%s %d", s, i), doc)
			})
			for range 20 {
				i := r.Int64N(count)
				f(k.String(), fmt.Sprintf("%s %d", s, i), d.Append(nil, k, i))
			}
		}
	}
	d := open(t, "XXXS", p)
	for kind := range templateKinds {
		for j, tmpl := range d.Templates(kind, 30) {
			f(kind, fmt.Sprintf("template %d", j), []byte(join(tmpl, plausible(j))))
		}
	}
	for i := range int64(20) {
		f("order", "new", d.AppendNewOrder(nil, i, dataset.NewOrder{ID: 1, Account: 2, Symbol: "ABC"}))
		f("customer", "new", d.AppendNewCustomer(nil, i, dataset.NewCustomer{ID: 3, Accounts: []int64{4, 5, 6, 7}}))
		f("account", "new", d.AppendNewAccount(nil, i, dataset.NewAccount{ID: 8}))
	}
}

// asDocument puts an Account, which has no schema of its own, into a customer.
func asDocument(kind string, doc []byte) (string, []byte) {
	if kind != "account" {
		return kind, doc
	}
	customer := dataset.New(dataset.Spec{}).Append(nil, dataset.Customer, 0)
	at := bytes.Index(customer, []byte("</Accounts>"))
	return "customer", append(append(append([]byte{}, customer[:at]...), doc...), customer[at:]...)
}

// Every document is already in the normal form, in which the service stores it.
func TestAppend_NormalForm(t *testing.T) {
	t.Parallel()
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		samples(t, p, func(kind, from string, doc []byte) {
			admitted, err := xmldoc.Admit(doc, xmldoc.Limits{})
			check(t, err == nil, "%s, %s: %v", kind, from, err)
			check(t, bytes.Equal(admitted, doc), "%s, %s: admitted as\n%s\ninstead of\n%s", kind, from, admitted, doc)
			check(t, !bytes.ContainsAny(doc, "\n\r\t"), "%s, %s: more than one line", kind, from)
		})
	})
}

func TestAppend_ValidByProject(t *testing.T) {
	t.Parallel()
	schemas := map[string]*schema.Validator{"customer": schema.Customer(), "security": schema.Security(),
		"order": schema.Order()}
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		samples(t, p, func(kind, from string, doc []byte) {
			kind, doc = asDocument(kind, doc)
			err := schemas[kind].Validate(doc)
			check(t, err == nil, "%s, %s: %v\n%s", kind, from, err, doc)
		})
	})
}

func TestAppend_ValidByKit(t *testing.T) {
	t.Parallel()
	kit := testenv.Kit(t)
	schemas := map[string]*schema.Validator{}
	for kind, root := range map[string]string{"customer": "Customer", "security": "Security"} {
		source := []byte(testenv.Text(t, filepath.Join(kit, kitSchemas[kind])))
		v, err := schema.Compile(kitSchemas[kind], source, root)
		require.NoError(t, err)
		schemas[kind] = v
	}
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		samples(t, p, func(kind, from string, doc []byte) {
			kind, doc = asDocument(kind, doc)
			if validator := schemas[kind]; validator != nil {
				err := validator.Validate(doc)
				check(t, err == nil, "%s, %s: %v\n%s", kind, from, err, doc)
			}
		})
	})
}

// A second opinion, by another implementation of XML Schema.
func TestAppend_ValidByXmllint(t *testing.T) {
	t.Parallel()
	kit := testenv.Kit(t)
	eachProfile(t, func(t *testing.T, p dataset.Profile) {
		docs := map[string][][]byte{}
		samples(t, p, func(kind, _ string, doc []byte) {
			kind, doc = asDocument(kind, doc)
			if kitSchemas[kind] != "" && len(docs[kind]) < 600 {
				docs[kind] = append(docs[kind], bytes.Clone(doc))
			}
		})
		for kind, schema := range kitSchemas {
			for _, opinion := range testenv.Xmllint(t, filepath.Join(kit, schema), docs[kind]) {
				require.Empty(t, opinion.Errors, "%s: %s", kind, opinion.Doc)
			}
		}
	})
}

// kitSchemas are the kit's schemas; it has none for orders.
var kitSchemas = map[string]string{"customer": "custacc.xsd", "security": "security.xsd"}

// The schema allows ten middle names. One customer in some ten thousand once had more, which no sample of hundreds
// shows, so this test reads many.
func TestAppend_MiddleNames(t *testing.T) {
	t.Parallel()
	d := open(t, "XXS", dataset.TPoX2)
	var doc []byte
	for i := range d.Count(dataset.Customer) {
		doc = d.Append(doc[:0], dataset.Customer, i)
		require.LessOrEqual(t, bytes.Count(doc, []byte("<MiddleName>")), 3)
	}
	require.NoError(t, schema.Customer().Validate(d.Append(nil, dataset.Customer, 40_022)))
}
