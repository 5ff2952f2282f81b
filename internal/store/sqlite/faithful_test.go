package sqlite

import (
	"strings"
	"testing"

	"brokerage/internal/store"
	"brokerage/internal/store/storetest"
)

// What the store declares of each transaction is what its statements do.
func TestFaithful(t *testing.T) {
	var tracer storetest.Tracer
	s := opened(t, tinyDatabase(t), store.Options{Trace: tracer.Begin})
	storetest.Faithful(t, s, tiny, &tracer, func(name string) string {
		return strings.ReplaceAll(statementTexts[name], "length(doc)", "size") // which reads no document
	})
}
