package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// What all connections of a load have not committed fits into half of Db2's default logs: a document takes more there
// than its bytes, for its index entries and for what a rollback needs.
func TestLoadKind_FitsLogs(t *testing.T) {
	const logBytes = (3 + 10) * 1000 * 4096 // logprimary, logsecond, logfilsiz
	d := dataset.New(dataset.Spec{Seed: 1})
	for _, k := range dataset.Kinds {
		uncommitted, largest := 0, 0
		f := &fake{answer: func(query string, args []driver.Value) (answer, error) {
			switch nameOf(query) {
			case inserts[k]:
				uncommitted += len(args[0].(string))
			case "insert_setting": // the end of a chunk
				largest, uncommitted = max(largest, uncommitted), 0
			}
			return answer{changed: 1}, nil
		}}
		s := open(t, f)
		s.settings.Pool = 1
		raw, err := s.loadKind(t.Context(), d, k, nil)
		require.NoError(t, err)
		require.Positive(t, largest)
		require.Greater(t, raw, int64(largest), "more than one chunk")
		require.Less(t, DefaultPool*largest, logBytes/2, k)
	}
}
