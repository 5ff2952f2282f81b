package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Statements of a workload file are one transaction, which a refusal ends.
func TestRunScript(t *testing.T) {
	statements := []store.ScriptStatement{
		{Text: "UPDATE t SET a = ? WHERE b = ?", Args: []any{int64(7), "x"}}, {Text: "SELECT a, b FROM t"},
	}
	var args []driver.Value
	var refuse error
	f := &fake{answer: func(query string, given []driver.Value) (answer, error) {
		switch query {
		case statements[0].Text:
			args = given
			return answer{changed: 3}, nil
		case statements[1].Text:
			return answer{rows: [][]driver.Value{{"<a/>", int64(1)}, {"<b/>", int64(2)}}}, refuse
		default:
			return answer{}, nil
		}
	}}
	s := open(t, f)
	f.calls = nil
	var r store.ScriptResult
	require.NoError(t, s.RunScript(t.Context(), false, statements, &r))
	require.Equal(t, "BEGIN UPDATE t SET a = ? WHERE b = ? SELECT a, b FROM t COMMIT", squeeze(f.said()))
	require.Equal(t, []driver.Value{int64(7), "x"}, args)
	require.Equal(t, store.ScriptResult{Rows: []int64{3, 2}, Text: []byte("<a/>\t1\n<b/>\t2\n")}, r)

	refuse = failure(-803, "23505")
	f.calls = nil
	var refused *store.ScriptRefused
	require.ErrorAs(t, s.RunScript(t.Context(), false, statements, &r), &refused)
	require.Equal(t, "SQLSTATE 23505", refused.Code)
	require.Equal(t, "BEGIN UPDATE t SET a = ? WHERE b = ? SELECT a, b FROM t ROLLBACK", squeeze(f.said()))

	refuse = lost
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, s.RunScript(t.Context(), false, statements, &r), &unavailable)
	require.NoError(t, s.CheckScript(t.Context(), "SELECT a FROM t"))
}
