package schema

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/xmldoc"
)

// schemaFiles are the schemas by their file names in the kit and the project, each with its documents.
var schemaFiles = []struct {
	file, root string
	validator  func() *Validator
	examples   []string // the project's documents in testdata
	kit        []string // documents of the kit
}{
	{"custacc.xsd", "Customer", Customer,
		[]string{"customer.xml", "customer-no-position.xml"}, []string{"custacc.xml"}},
	{"security.xsd", "Security", Security,
		[]string{"security-stock.xml", "security-fund.xml"}, []string{"security1500.xml", "security5621.xml"}},
	{"order.xsd", "FIXML", Order,
		[]string{"order-typical.xml", "order.xml", "order-minimal.xml"}, []string{"order123.xml"}},
}

func example(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(testenv.Text(t, filepath.Join("testdata", name)))
}

// kitFile reads a file of the TPoX kit, which has its own licence and is not part of the project.
func kitFile(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(testenv.Text(t, filepath.Join(testenv.Kit(t), name)))
}

// replaced returns the document with one piece, which it must contain, exchanged for another. The piece may be given
// by its ends: <Pin>…</Pin>.
func replaced(t testing.TB, doc []byte, from, to string) []byte {
	t.Helper()
	first, last, _ := strings.Cut(from, "…")
	before, rest, found := strings.Cut(string(doc), first)
	require.True(t, found, "no %q in the document", first)
	_, after, found := strings.Cut(rest, last)
	require.True(t, found, "no %q behind it", last)
	return []byte(before + to + after)
}

// admitted returns a document in the normal form, in which the service gives it to a validator.
func admitted(t testing.TB, doc []byte) []byte {
	t.Helper()
	doc, err := xmldoc.Admit(doc, xmldoc.Limits{Bytes: 32 << 20})
	require.NoError(t, err)
	return doc
}

// requireFindings validates and returns the Error.
func requireFindings(t testing.TB, v *Validator, doc []byte) *Error {
	t.Helper()
	err := v.Validate(admitted(t, doc))
	require.Error(t, err)
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.NotEmpty(t, refusal.Findings)
	return refusal
}

// verdict reports whether the document is admitted and valid. Any error other than a refusal fails the test.
func verdict(t testing.TB, v *Validator, doc string) (bool, error) {
	t.Helper()
	normal, err := xmldoc.Admit([]byte(doc), xmldoc.Limits{})
	if err != nil {
		return false, err
	}
	if err = v.Validate(normal); err != nil {
		var refusal *Error
		require.ErrorAs(t, err, &refusal, "%s", doc)
	}
	return err == nil, err
}

// bareEngine returns the engine without this package's own rules.
func bareEngine(t testing.TB, v *Validator) *worker {
	t.Helper()
	session, err := v.open()
	require.NoError(t, err)
	return &worker{session: session}
}
