//go:build db2

package db2

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
	"brokerage/internal/testenv"
)

// Tests on a Db2 itself: make test-db2 DB2_DSN=db2://…, on a database that may be emptied. Each test leaves its part of
// the evidence in the folder that DB2_EVIDENCE names.

// server returns the URL of a Db2, with a schema for tests.
func server(t testing.TB) string {
	t.Helper()
	url := os.Getenv("DB2_DSN")
	if url == "" {
		testenv.Missing(t, "db2", "DB2_DSN names no Db2 (db2://USER@HOST:PORT/DATABASE)")
	}
	if !strings.Contains(url, "schema=") {
		separator := "?"
		if strings.Contains(url, "?") {
			separator = "&"
		}
		url += separator + "schema=BROKERAGE_TEST"
	}
	return url
}

func openServer(t testing.TB, rules brokerage.Rules) *Store {
	t.Helper()
	s, err := Open(t.Context(), server(t), Settings{Rules: rules, Notice: func(text string) { t.Log(text) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// evidence writes a file of the evidence.
func evidence(t testing.TB, name string, content []byte) {
	t.Helper()
	folder := os.Getenv("DB2_EVIDENCE")
	if folder == "" {
		return
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o644))
}

// filled returns a store with a dataset and nothing else.
func filled(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) *Store {
	t.Helper()
	s := openServer(t, rules)
	require.NoError(t, s.Empty(t.Context()))
	require.NoError(t, s.LoadDataset(t.Context(), d, nil))
	return s
}

func TestServer_Conformance(t *testing.T) {
	server(t)
	t.Cleanup(func() { evidence(t, "conformance.txt", fmt.Appendf(nil, "failed: %v\n", t.Failed())) })
	storetest.Run(t, storetest.Options{
		Dataset: few(),
		Open: func(t testing.TB, d *dataset.Dataset, rules brokerage.Rules) brokerage.Store {
			return filled(t, d, rules)
		},
		Reopen: func(t testing.TB, s brokerage.Store) brokerage.Store {
			require.NoError(t, s.Close())
			return openServer(t, s.(*Store).settings.Rules)
		},
	})
}

// explained returns the names of the transactions' statements.
func explained() []string {
	names := []string{"trade_quote", "trade_outcome"}
	for _, transaction := range brokerage.Transactions {
		names = append(names, transaction.Name)
	}
	return names
}

// operators returns the plan of a statement. SYSPROC.SYSINSTALLOBJECTS creates missing explain tables.
const operators = `SELECT o.operator_id, o.operator_type, COALESCE(s.object_name, ''), o.total_cost
	FROM explain_operator AS o
	LEFT JOIN explain_stream AS s ON s.explain_requester = o.explain_requester AND s.explain_time = o.explain_time
		AND s.target_id = o.operator_id AND s.object_name IS NOT NULL
	WHERE o.explain_time = (SELECT MAX(explain_time) FROM explain_statement WHERE querytag = ?)
	ORDER BY o.operator_id`

// No table of documents is scanned, at a size at which an index pays off.
func TestServer_Plans(t *testing.T) {
	s := filled(t, dataset.New(dataset.Spec{Seed: 1}), brokerage.Rules{})
	install := "CALL SYSPROC.SYSINSTALLOBJECTS('EXPLAIN', 'C', NULL, '" + s.settings.Schema + "')"
	_, err := s.db.ExecContext(t.Context(), install)
	if err != nil {
		t.Logf("the explain tables may be there: %v", err)
	}
	var bundle strings.Builder
	defer func() { evidence(t, "plans.txt", []byte(bundle.String())) }()
	for _, name := range explained() {
		t.Run(name, func(t *testing.T) {
			_, err := s.db.ExecContext(t.Context(), "EXPLAIN PLAN SET QUERYTAG = '"+name+"' FOR "+statements[name])
			require.NoError(t, err)
			rows, err := s.db.QueryContext(t.Context(), operators, name)
			require.NoError(t, err)
			defer func() { require.NoError(t, rows.Close()) }()
			fmt.Fprintf(&bundle, "%s\n", name)
			for rows.Next() {
				var id int
				var kind, object string
				var cost float64
				require.NoError(t, rows.Scan(&id, &kind, &object, &cost))
				kind, object = strings.TrimSpace(kind), strings.TrimSpace(object)
				fmt.Fprintf(&bundle, "  %3d %-8s %-20s %12.2f\n", id, kind, object, cost)
				if kind == "TBSCAN" && slices.Contains([]string{"CUSTACC", "ORDERS", "SECURITY"}, object) {
					t.Errorf("%s scans %s", name, object)
				}
			}
			require.NoError(t, rows.Err())
		})
	}
}

// A smoke test of every transaction, with its time, which is not a measurement.
func TestServer_Smoke(t *testing.T) {
	d := dataset.New(dataset.Spec{Seed: 1})
	s := filled(t, d, brokerage.Rules{})
	w := brokerage.Write{Now: time.Now()}
	customer, account := brokerage.ID(d.ID(dataset.Customer, 5)), brokerage.ID(d.FirstAccount(5))
	order, symbol := brokerage.ID(d.ID(dataset.Order, 5)), d.Symbol(5)
	only := func(_ any, err error) error { return err }
	took := make(map[string]string)
	for _, step := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"get_order", func(ctx context.Context) error { return only(s.GetOrder(ctx, order)) }},
		{"get_security", func(ctx context.Context) error { return only(s.GetSecurity(ctx, symbol)) }},
		{"customer_profile", func(ctx context.Context) error { return only(s.CustomerProfile(ctx, customer)) }},
		{"search_securities", func(ctx context.Context) error {
			search := brokerage.Search{Sector: "Energy", PEMin: 200000, PEMax: 270000, YieldMin: 10000}
			return only(s.SearchSecurities(ctx, search))
		}},
		{"account_summary", func(ctx context.Context) error { return only(s.AccountSummary(ctx, customer)) }},
		{"get_security_price", func(ctx context.Context) error { return only(s.SecurityPrice(ctx, symbol)) }},
		{"customer_max_order", func(ctx context.Context) error { return only(s.CustomerMaxOrder(ctx, customer)) }},
		{"update_security_price", func(ctx context.Context) error {
			return only(s.UpdateSecurityPrice(ctx, w, symbol, brokerage.Price{LastTrade: "7.5"}))
		}},
		{"update_order_status", func(ctx context.Context) error { return only(s.UpdateOrderStatus(ctx, w, order, "4")) }},
		{"buy_security", func(ctx context.Context) error {
			trade := brokerage.Trade{Side: brokerage.Buy, Symbol: symbol, Quantity: "3", Now: w.Now}
			return only(s.Trade(ctx, w, account, trade))
		}},
		{"sell_security", func(ctx context.Context) error {
			trade := brokerage.Trade{Side: brokerage.Sell, Symbol: symbol, Quantity: "2", Now: w.Now}
			return only(s.Trade(ctx, w, account, trade))
		}},
		{"delete_order", func(ctx context.Context) error { return s.DeleteOrder(ctx, w, order) }},
		{"delete_customer", func(ctx context.Context) error { return s.DeleteCustomer(ctx, w, customer) }},
	} {
		began := time.Now()
		require.NoError(t, step.do(t.Context()), step.name)
		took[step.name] = time.Since(began).String()
	}
	space, err := s.Space(t.Context())
	require.NoError(t, err)
	bundle, err := json.MarshalIndent(map[string]any{
		"engine": s.Describe(), "space": space, "stats": s.Stats(), "firstCallOfEach": took,
	}, "", "  ")
	require.NoError(t, err)
	evidence(t, "server.json", bundle)
}
