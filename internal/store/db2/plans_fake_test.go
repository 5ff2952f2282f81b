package db2

import (
	"database/sql/driver"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// explaining is a fake with Db2's explain facility: in the mode EXPLAIN a statement of a transaction leaves a plan when
// that is committed, and answers with SQL0217W.
type explaining struct {
	fake
	tables []string              // schemas of explain tables
	plan   map[string][]operator // by statement
	given  map[string][]driver.Value
	at     time.Time
	last   string // the statement of the newest plan
}

func newExplaining() *explaining {
	e := &explaining{plan: make(map[string][]operator), given: make(map[string][]driver.Value)}
	e.fake.answer = e.respond
	return e
}

func (e *explaining) respond(query string, args []driver.Value) (answer, error) {
	switch {
	case query == installExplain:
		if len(e.tables) > 0 {
			return answer{}, failure(-601, stateExists)
		}
		e.tables = []string{"SYSTOOLS"}
	case query == findExplain:
		if len(e.tables) > 0 {
			return answer{rows: [][]driver.Value{{e.tables[0]}}}, nil
		}
	case strings.Contains(query, ".explain_statement"):
		if e.last == "" {
			return answer{rows: [][]driver.Value{{nil}}}, nil
		}
		return answer{rows: [][]driver.Value{{e.at.Format("2006-01-02-15.04.05.000000")}}}, nil
	case strings.Contains(query, ".explain_operator"):
		var rows [][]driver.Value
		for _, o := range e.plan[e.last] {
			rows = append(rows, []driver.Value{int64(o.id), o.kind + "  ", o.object, o.cost})
		}
		return answer{rows: rows}, nil
	case query != explainMode:
		e.given[query] = args
		if _, known := e.plan[query]; known {
			e.last, e.at = query, e.at.Add(time.Millisecond)
		}
		return answer{}, &ServerError{Code: 217, State: "01604", Message: "SQL0217W"}
	}
	return answer{}, nil
}

// Each statement that finds documents names the index that serves it, and a plan without it is refused.
func TestPlans(t *testing.T) {
	e := newExplaining()
	found := 0
	for name, text := range statements {
		expected := expectedIndexes(name)
		require.Equal(t, strings.Contains(text, "XMLEXISTS"), len(expected) > 0, name)
		for _, indexes := range expected {
			e.plan[text] = append(e.plan[text], operator{found, "XISCAN", indexes[0], 7.5})
			found++
		}
	}
	require.Greater(t, found, 20)
	p, err := newPlanner(t.Context(), alonePool(t, &e.fake), alonePool(t, &e.fake))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.explained.Close()) })
	require.Equal(t, "SYSTOOLS", p.schema)
	for name, text := range statements {
		expected := expectedIndexes(name)
		if expected == nil {
			continue
		}
		plan, err := p.explain(t.Context(), text)
		require.NoError(t, err, name)
		require.Equal(t, e.plan[text], plan, name)
		require.NoError(t, requirePlan(plan, expected), name)
		require.Len(t, e.given[text], strings.Count(text, "?"), name)

		read := append([]operator{{kind: "FETCH", object: plan[0].object}}, plan[1:]...)
		require.ErrorContains(t, requirePlan(read, expected), "no XISCAN", name)
		scan := slices.Concat(plan, []operator{{kind: "TBSCAN", object: "CUSTACC"}})
		require.ErrorContains(t, requirePlan(scan, expected), "scans CUSTACC", name)
	}
	require.Equal(t, []any{"1", 1.5, 1.5, 1.5}, arguments(statements["search_securities"]))
	require.Equal(t, map[string][]string{"CUSTACC": {"CUSTACC_ID"}, "ORDERS": {"ORDERS_ACCOUNT"}},
		expectedIndexes("customer_max_order"))
}

// A statement that leaves no plan is a failure, with what the server said; so are missing explain tables.
func TestPlans_None(t *testing.T) {
	e := newExplaining()
	e.tables = []string{"ME", "SYSTOOLS"}
	p, err := newPlanner(t.Context(), alonePool(t, &e.fake), alonePool(t, &e.fake))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.explained.Close()) })
	require.Equal(t, "ME", p.schema, "the user's own come first")
	plan, err := p.explain(t.Context(), statements["get_order"])
	require.Empty(t, plan)
	require.ErrorContains(t, err, "SQL0217W")
	require.ErrorContains(t, requirePlan(nil, expectedIndexes("get_order")), "no plan")

	refusing := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if query == installExplain {
			return answer{}, failure(-552, "42502")
		}
		return answer{}, nil
	}}
	_, err = newPlanner(t.Context(), alonePool(t, refusing), alonePool(t, refusing))
	require.ErrorContains(t, err, "explain tables")
	require.Equal(t, -552, serverErrorOf(err).Code)
}
