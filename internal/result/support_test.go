package result

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv/schematest"
)

// requireSums checks every sum of a result: due is what was Done, refused, not answered, dropped and still waiting.
func requireSums(t testing.TB, r *Run) {
	t.Helper()
	requireDue := func(row *Row) {
		t.Helper()
		require.Equal(t, row.Due, row.Good+row.Refused()+row.Unanswered+row.Dropped+row.Waiting, "%+v", row)
		require.LessOrEqual(t, row.Late, row.Waiting)
	}
	var rows Row
	for i := range r.Transactions {
		row := &r.Transactions[i]
		requireDue(row)
		require.Zero(t, row.Dropped)
		var refused int64
		for _, reasons := range []map[string]int64{row.Expected, row.Unexpected} {
			for _, n := range reasons {
				refused += n
			}
		}
		require.Equal(t, refused, row.Refused()+row.Unanswered, "%+v", row)
		rows.Due += row.Due
		rows.Waiting += row.Waiting
		rows.Late += row.Late
	}
	total, a := &r.Total, &Arrivals{Due: r.Total.Due, Started: r.Total.Due}
	if r.Arrivals != nil {
		a = r.Arrivals
	}
	requireDue(total)
	require.Equal(t, Row{Due: a.Started, Waiting: total.Waiting - a.Queued, Late: total.Late}, rows, "%+v", a)
	require.Equal(t, []int64{total.Due, total.Due}, []int64{a.Due, a.Started + a.Dropped + a.Queued}, "%+v", a)
}

// requireSchema requires that a result is valid by its schema.
func requireSchema(t testing.TB, r any) {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	schematest.Require(t, schematest.Compile(t, Schema), text)
}
