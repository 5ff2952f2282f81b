package storetest

import (
	"context"
	"net"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// A Tracer records the statements of calls whose context is from Traced.
type Tracer struct {
	mu    sync.Mutex
	ended []string
}

type tracedKey struct{}

// Traced returns a context for calls whose statements are recorded.
func Traced(ctx context.Context) context.Context { return context.WithValue(ctx, tracedKey{}, true) }

// Begin is for a store's option Trace.
func (r *Tracer) Begin(ctx context.Context, name string, _ net.Addr) func(error) {
	if ctx.Value(tracedKey{}) == nil {
		return func(error) {}
	}
	return func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			name += " failed"
		}
		r.ended = append(r.ended, name)
	}
}

// Take returns the names of the statements that have ended since the last call, each marked if it has failed.
func (r *Tracer) Take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.ended
	r.ended = nil
	return all
}

// Faithful requires that a store, loaded with d, declares for each transaction the Fidelity that Judge finds in its
// statements. text returns the text of a statement, or "".
func Faithful(t testing.TB, s tpox.Store, d *dataset.Dataset, tracer *Tracer, text func(name string) string) {
	t.Helper()
	for _, call := range Calls(t, s, d) {
		require.NoError(t, call.Do(Traced(t.Context())), call.Name)
		var texts []string
		for _, name := range tracer.Take() {
			texts = append(texts, text(name))
		}
		texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
		require.Equal(t, s.Describe().Faithful[call.Name], Judge(texts), "%s runs %q", call.Name, texts)
	}
}

// Judge returns how faithful a transaction of these statements is, by their texts alone.
func Judge(texts []string) tpox.Fidelity {
	some := func(of func(text string) bool) bool { return slices.ContainsFunc(texts, of) }
	inXML := func(text string) bool { return onDocument.MatchString(text) && xmlFunction.MatchString(text) }
	switch {
	case some(writtenBack.MatchString):
		return tpox.EditedInService
	case some(readsExtracted.MatchString),
		some(func(text string) bool { return bareColumns.MatchString(text) && !inXML(text) }):
		return tpox.FromColumns
	case some(lockedDocument.MatchString):
		return tpox.InService
	case some(inXML):
		return tpox.InDatabase
	case some(asBytes.MatchString):
		return tpox.InService
	case len(texts) == 1 && oneColumn.MatchString(texts[0]):
		return tpox.StoredReady
	default:
		return tpox.FromColumns
	}
}

var (
	// writtenBack matches an update of a document by a parameter.
	writtenBack = regexp.MustCompile(`(?is)^UPDATE\b.*\bdoc = (XMLPARSE\(DOCUMENT )?[$?]\d`)
	// readsExtracted matches a use of a table that holds what was extracted from documents.
	readsExtracted = regexp.MustCompile(`\bFROM brokerage\.(account_orders|security_search)\b`)
	// bareColumns matches a query that uses an extracted value from a column beside the document.
	bareColumns = regexp.MustCompile(`(?s)^SELECT\b.*\b(cash|sector)\b`)
	// lockedDocument matches a query that locks a document and returns it to the service.
	lockedDocument = regexp.MustCompile(`(?s)^SELECT\b.*\bdoc\b.*\bFOR UPDATE\b`)
	onDocument     = regexp.MustCompile(`\b(ca|o|s)?doc\b`)
	// xmlFunction matches a call of an XML function, or of one in the schema brokerage with a document.
	xmlFunction = regexp.MustCompile(`(?i)\b(xml(query|exists|table|serialize|parse|validate)|xpath)\(|` +
		`\bbrokerage\.\w+\([^()]*\bdoc\)`)
	asBytes = regexp.MustCompile(`(?s)^(SELECT|INSERT)\b.*\bdoc\b`)
	// oneColumn matches a query of one column, after asBytes has matched those of the document.
	oneColumn = regexp.MustCompile(`^SELECT \w+ FROM`)
)
