package db2

import (
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// What all connections of a load have not committed fits into half of Db2's default logs: a document takes more there
// than its bytes, for its index entries and for what a rollback needs.
func TestLoadChunk_FitsLogs(t *testing.T) {
	const logBytes = (3 + 10) * 1000 * 4096 // logprimary, logsecond, logfilsiz
	d := dataset.New(dataset.Spec{Seed: 1})
	for _, k := range dataset.Kinds {
		sent := 0
		f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
			if nameOf(query) == inserts[k] {
				sent += len(args[0].(string))
			}
			return answer{changed: 1}, nil
		}}
		s := open(t, f)
		for first := int64(0); first < d.Count(k); first += chunkSize {
			f.calls, sent = nil, 0
			_, _, err := s.loadChunk(t.Context(), d, k, first)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(f.said(), "COMMIT"))
			require.Positive(t, sent)
			require.Less(t, DefaultPool*sent, logBytes/2, k)
		}
	}
}
