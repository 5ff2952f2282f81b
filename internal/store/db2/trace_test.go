package db2

import (
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/storetest"
	"brokerage/internal/tpox"
)

// Each statement of a transaction is traced once, by its name, in the context of the transaction; a repeated statement
// is traced again.
func TestStore_Trace(t *testing.T) {
	doc := "<a>" + strings.Repeat("x", 9000) + "</a>"
	var refusing error
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		switch {
		case strings.HasPrefix(nameOf(query), "get_"):
			return documentOf(query, doc)
		case refusing != nil:
			return answer{}, refusing
		}
		return answer{changed: 1}, nil
	}}
	var tracer storetest.Tracer
	s := openTraced(t, f, tracer.Begin)
	ctx := storetest.Traced(t.Context())
	w := tpox.Write{Now: noon}
	for _, c := range []struct {
		name, told string
		refusing   error
		do         func() error
	}{
		// It is longer than the declared type.
		{"Document", "get_order failed get_order", nil, func() error { _, err := s.GetOrder(ctx, 1); return err }},
		{"Write", "delete_order", nil, func() error { return s.DeleteOrder(ctx, w, 1) }},
		{"Refused", "delete_order failed", failure(-204, "42704"), func() error {
			require.Error(t, s.DeleteOrder(ctx, w, 1))
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			refusing = c.refusing
			require.NoError(t, c.do())
			require.Equal(t, c.told, strings.Join(tracer.Take(), " "))
		})
	}
}
