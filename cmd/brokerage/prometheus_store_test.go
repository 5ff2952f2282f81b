package main

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
)

// The database is stopped while the service runs: of the two alerts that page, the right one fires, and it resolves
// when the database is back, without an action on the service.
func TestPrometheus_StoreStopped(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	testenv.Command(t, "prometheus")
	server := pgtest.Start(t)
	db := server.URL("postgres")
	require.Equal(t, exitOK, brokerage(t.Context(), "load", "--db", db).code)
	i := serving(t, "", "--db", db)
	p := scraping(t, i.url[len("http://"):])
	fires := func(name string) bool { return slices.Contains(p.alerts(t), name) }

	eventually(t, func() bool { return p.value(t, "brokerage_store_ready") == "1" }, "Prometheus to know of the store: %s",
		p.logs)
	require.False(t, fires("BrokerageStoreNotReady"))
	// What the server reports about itself is scraped, too.
	require.Equal(t, "2000", p.value(t, `brokerage_store_documents{kind="order"}`))
	require.NotEmpty(t, p.value(t, `brokerage_store_document_bytes{kind="customer"} > 0`))
	require.NotEmpty(t, p.value(t, "brokerage_store_page_hits_total > 0"))
	require.NotEmpty(t, p.value(t, `brokerage_dataset_raw_bytes{kind="order"} > 0`))
	require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
	eventually(t, func() bool {
		return p.value(t, `brokerage_store_statement_duration_seconds_count{statement="get_order"}`) == "1"
	}, "the statement to be counted: %s", p.logs)

	server.Halt(t)
	eventually(t, func() bool { return fires("BrokerageStoreNotReady") }, "the alert to fire: %s", p.logs)
	ready := get(t, i.url+"/readyz")
	require.Equal(t, http.StatusServiceUnavailable, ready.status)
	require.Contains(t, ready.body, "<detail>the database does not answer</detail>")
	require.Equal(t, "0", p.value(t, "brokerage_store_ready"))
	// The service is up, and no alert says otherwise.
	require.Equal(t, http.StatusOK, get(t, i.url+"/healthz").status)
	require.False(t, fires("BrokerageDown"))

	server.Again(t)
	eventually(t, func() bool { return !fires("BrokerageStoreNotReady") }, "the alert to end: %s", p.logs)
	require.Equal(t, "1", p.value(t, "brokerage_store_ready"))
	require.Equal(t, http.StatusOK, get(t, i.url+"/readyz").status)
	require.Equal(t, http.StatusOK, get(t, i.url+"/v1/orders/103282").status)
	i.stop(t)
}
