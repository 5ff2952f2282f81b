package sqlite

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/storetest"
)

// What the store declares of each transaction is what its statements do.
func TestFaithful(t *testing.T) {
	var mu sync.Mutex
	var texts []string
	s := opened(t, tinyDatabase(t), Options{Trace: func(ctx context.Context, name string) func(error) {
		if text := statementTexts[name]; text != "" && ctx.Value(tracedKey{}) != nil {
			mu.Lock()
			defer mu.Unlock()
			texts = append(texts, strings.ReplaceAll(text, "length(doc)", "size")) // which reads no document
		}
		return func(error) {}
	}})
	declared := s.Describe().Faithful
	ctx := context.WithValue(t.Context(), tracedKey{}, true)
	for _, call := range storetest.Calls(t, s, tiny) {
		texts = nil
		require.NoError(t, call.Do(ctx), call.Name)
		require.Equal(t, declared[call.Name], storetest.Judge(texts), "%s runs %q", call.Name, texts)
	}
}
