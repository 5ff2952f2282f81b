package telemetry_test

import (
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store"
	"brokerage/internal/telemetry"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

var stats = store.Stats{
	Connections: 8, Open: 5, InUse: 3, Waits: 7, Waited: 1500 * time.Millisecond, Commits: 11, Writes: 2,
	Groups: store.Distribution{Bounds: []float64{1, 2}, Counts: []uint64{4, 3, 2}, Sum: 20},
	// A commit that took longer than the largest bucket.
	Flushes: store.Distribution{Bounds: []float64{.001}, Counts: []uint64{8, 1}, Sum: 2.5},
	Busy:    3 * time.Second, Hits: 90, Misses: 10, PageHits: 900, PageMisses: 100,
	WriterPageHits: 300, WriterPageMisses: 40, PageWrites: 70,
	Retries: map[string]int64{"changed": 4}, File: 4096, Journal: 512, IDsLeft: map[string]int64{"order": 999999999896718},
	Kinds: []store.KindStats{
		{Kind: "order", Known: true, Documents: 2000, Stored: 600000, Packed: 5, PackedFrom: 8000, PackedTo: 1500},
		{Kind: "customer", Packed: 1, PackedFrom: 20, PackedTo: 10},
	},
}

// full returns metrics with everything that a service adds.
func full() *telemetry.Metrics {
	m := telemetry.New(build)
	m.Store(tpox.EngineInfo{Name: "sqlite", Version: "3.50", Durability: tpox.Durable, Identity: "0a"},
		func() store.Stats { return stats })
	m.Service(telemetry.Sources{
		Limit: 256, Waiting: func() int64 { return 3 },
		Audit:       func() (waiting int, lost int64) { return 12, 34 },
		Certificate: func() time.Time { return time.Unix(1800000000, 0) },
	})
	m.Reloaded("keys", io.ErrUnexpectedEOF)
	m.Reloaded("tokens", nil)
	m.Disk(func() (free, size float64) { return 25, 100 })
	m.Ready(true)
	m.Dataset(tpox.Contents{Fingerprint: "f", Scale: "tiny", Profile: "tpox-2", Seed: 7, Securities: 500,
		Customers: 200, Orders: 2000},
		map[string]int64{"order": 3000000})
	return m
}

func TestMetrics_State(t *testing.T) {
	series, text := scrape(t, full())
	for name, value := range map[string]string{
		"tls_certificate_expiry_timestamp_seconds": "1.8e+09",
		"store_connections_limit":                  "8", "store_connections_open": "5", "store_connections_in_use": "3",
		"store_connection_waits_total":        "7",
		"store_connection_wait_seconds_total": "1.5", "store_commits_total": "11", "store_writes_waiting": "2",
		`store_commit_writes_bucket{le="1"}`: "4", `store_commit_writes_bucket{le="2"}`: "7",
		`store_commit_writes_bucket{le="+Inf"}`: "9",
		"store_commit_writes_sum":               "20", "store_commit_writes_count": "9",
		`store_commit_duration_seconds_bucket{le="0.001"}`: "8", "store_commit_duration_seconds_count": "9",
		"store_commit_duration_seconds_sum": "2.5",
		"store_writer_busy_seconds_total":   "3", "store_cache_hits_total": "90", "store_cache_misses_total": "10",
		"store_page_hits_total": "900", "store_page_misses_total": "100", `store_retries_total{cause="changed"}`: "4",
		"store_writer_page_hits_total": "300", "store_writer_page_misses_total": "40", "store_page_writes_total": "70",
		`ids_left{kind="order"}`: "9.99999999896718e+14",
		"store_file_bytes":       "4096", "store_journal_bytes": "512",
		`store_documents{kind="order"}`: "2000", `store_document_bytes{kind="order"}`: "600000",
		`store_packed_documents_total{kind="order"}`: "5", `store_packed_raw_bytes_total{kind="order"}`: "8000",
		`store_packed_stored_bytes_total{kind="order"}`: "1500", `store_packed_documents_total{kind="customer"}`: "1",
		"requests_in_flight_limit": "256", "requests_waiting": "3", "store_disk_free_bytes": "25",
		"store_disk_size_bytes": "100", "store_ready": "1",
		`reload_failed{what="keys"}`: "1", `reload_failed{what="tokens"}`: "0",
		"audit_records_waiting": "12", "audit_records_lost_total": "34",
		`dataset_info{fingerprint="f",profile="tpox-2",scale="tiny",seed="7"}`: "1",
		`dataset_documents{kind="security"}`:                                   "500",
		`dataset_documents{kind="customer"}`:                                   "200",
		`dataset_documents{kind="order"}`:                                      "2000",
		`dataset_raw_bytes{kind="order"}`:                                      "3e+06",
		`store_info{database="0a",durability="each write is flushed before it is acknowledged",` +
			`store="sqlite",version="3.50"}`: "1",
	} {
		require.Equal(t, value, series["brokerage_"+name], "%s in %s", name, text)
	}
	require.NotContains(t, series, `brokerage_store_documents{kind="customer"}`) // nobody has counted them
}

// Stores differ in their figures. A figure that a store lacks has no series, instead of one that is always zero.
func TestMetrics_Stores(t *testing.T) {
	for name, c := range map[string]struct {
		stats store.Stats
		want  map[string]string
		lacks []string
	}{
		"Less": {
			store.Stats{Connections: 4}, map[string]string{"connections_limit": "4"},
			[]string{"commit_writes", "commit_duration", "file_bytes", "documents", "retries", "writer_page", "page_writes"},
		},
		"Estimates": { // a server that compresses documents itself
			store.Stats{Kinds: []store.KindStats{
				{Kind: "order", Known: true, Estimated: true, Documents: 2000, Stored: 600000}, {Kind: "customer", Estimated: true},
			}},
			map[string]string{`documents{kind="order"}`: "2000", `document_bytes{kind="order"}`: "600000"},
			[]string{`documents{kind="customer"}`, "packed"},
		},
		"Replicas": { // the second was never reached
			store.Stats{
				PrimaryReads: 5, Fallbacks: map[string]int64{"behind": 2, "conflict": 0},
				Replicas: []store.ReplicaStats{
					{Name: "a:5432", InRotation: true, Reads: 7, Known: true, LagBytes: 96, Age: 1500 * time.Millisecond},
					{Name: "b:5432"},
				},
			},
			map[string]string{
				`reads_total{target="primary"}`: "5", `reads_total{target="a:5432"}`: "7", `reads_total{target="b:5432"}`: "0",
				`replica_fallbacks_total{reason="behind"}`: "2", `replica_fallbacks_total{reason="conflict"}`: "0",
				`replica_up{replica="a:5432"}`: "1", `replica_up{replica="b:5432"}`: "0",
				`replica_lag_bytes{replica="a:5432"}`: "96", `replica_lag_seconds{replica="a:5432"}`: "1.5",
			},
			[]string{`replica_lag_bytes{replica="b:5432"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := telemetry.New(build)
			m.Store(tpox.EngineInfo{}, func() store.Stats { return c.stats })
			series, text := scrape(t, m)
			for name, want := range c.want {
				require.Equal(t, want, series["brokerage_store_"+name], name)
			}
			for _, name := range c.lacks {
				require.NotContains(t, text, "brokerage_store_"+name)
			}
		})
	}
}

// Only the current dataset has metrics; without a dataset there are none.
func TestMetrics_DatasetChanges(t *testing.T) {
	m := full()
	m.Dataset(tpox.Contents{Fingerprint: "g", Orders: 1}, nil)
	m.Ready(false)
	series, text := scrape(t, m)
	require.Equal(t, 1, strings.Count(text, "\nbrokerage_dataset_info{"))
	require.Equal(t, "1", series[`brokerage_dataset_info{fingerprint="g",profile="",scale="",seed="0"}`])
	require.NotContains(t, text, "brokerage_dataset_raw_bytes{")
	require.Equal(t, "0", series["brokerage_store_ready"])
	m.Dataset(tpox.Contents{}, nil)
	_, text = scrape(t, m)
	require.NotContains(t, text, "brokerage_dataset_")
}

func TestMetrics_Promtool(t *testing.T) {
	promtool := testenv.Command(t, "promtool")
	_, text := scrape(t, full())
	cmd := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
}
