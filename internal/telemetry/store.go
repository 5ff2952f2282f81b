package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// StoreStats is what a store tells of its inside. Counts are since it was opened.
type StoreStats struct {
	Connections int // at most, for reading
	Open, InUse int // of them
	Waits       int64
	Waited      time.Duration // for a connection, all together
	Commits     int64         // each of one or more writes
	Writes      int64         // that wait for their commit now
	Hits        int64         // reads that found warm what they needed (see the store)
	Misses      int64         // and that did not
}

// Store adds the metrics of a store, which is asked at each scrape; stats must
// not take long. A second store replaces nothing: it panics.
func (m *Metrics) Store(stats func() StoreStats) {
	m.registry.MustRegister(&storeCollector{stats: stats})
}

// storeCollector asks once for all series of a scrape, so that they fit together.
type storeCollector struct{ stats func() StoreStats }

func storeDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("brokerage_store_"+name, help, nil, nil)
}

var (
	storeConnections = storeDesc("connections_limit", "Connections for reading that may be open.")
	storeOpen        = storeDesc("connections_open", "Connections for reading that are open.")
	storeInUse       = storeDesc("connections_in_use", "Connections for reading that are in use.")
	storeWaits       = storeDesc("connection_waits_total", "How often a read had to wait for a connection.")
	storeWaited      = storeDesc("connection_wait_seconds_total", "How long reads have waited for a connection.")
	storeCommits     = storeDesc("commits_total", "Commits, each of one write or of several that waited together.")
	storeWrites      = storeDesc("writes_waiting", "Writes that wait for their commit.")
	storeHits        = storeDesc("cache_hits_total", "What was found in a cache: of the embedded store, reads from a snapshot that was kept; of PostgreSQL, pages in shared_buffers, of the whole database.")
	storeMisses      = storeDesc("cache_misses_total", "What was not found in a cache: of the embedded store, reads that needed a new snapshot; of PostgreSQL, pages that the server asked the system for.")
)

// Describe is of prometheus.Collector.
func (c *storeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{storeConnections, storeOpen, storeInUse, storeWaits, storeWaited, storeCommits, storeWrites, storeHits, storeMisses} {
		out <- d
	}
}

// Collect is of prometheus.Collector.
func (c *storeCollector) Collect(out chan<- prometheus.Metric) {
	s := c.stats()
	gauge := func(d *prometheus.Desc, v float64) { out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v) }
	counter := func(d *prometheus.Desc, v float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v)
	}
	gauge(storeConnections, float64(s.Connections))
	gauge(storeOpen, float64(s.Open))
	gauge(storeInUse, float64(s.InUse))
	counter(storeWaits, float64(s.Waits))
	counter(storeWaited, s.Waited.Seconds())
	counter(storeCommits, float64(s.Commits))
	gauge(storeWrites, float64(s.Writes))
	counter(storeHits, float64(s.Hits))
	counter(storeMisses, float64(s.Misses))
}
