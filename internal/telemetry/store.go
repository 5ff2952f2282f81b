package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"brokerage/internal/store/tally"
)

type (
	// StoreStats are the figures of a store.
	StoreStats = tally.Stats
	// StoreKind has the figures of the documents of a kind.
	StoreKind = tally.KindStats
)

// Store adds the metrics of a store. Each scrape calls stats, which must not take long. Store panics when it is called
// for a second store.
func (m *Metrics) Store(stats func() StoreStats) {
	m.registry.MustRegister(&storeCollector{stats: stats})
}

// storeCollector calls stats once for all series of a scrape, so that they fit together.
type storeCollector struct{ stats func() StoreStats }

func storeDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("brokerage_store_"+name, help, labels, nil)
}

// storeFigures are the metrics of one value, which every store has.
var storeFigures = []struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*StoreStats) float64
}{
	{storeDesc("connections_limit", "Connections for reading that may be open."),
		prometheus.GaugeValue, func(s *StoreStats) float64 { return float64(s.Connections) }},
	{storeDesc("connections_open", "Connections for reading that are open."),
		prometheus.GaugeValue, func(s *StoreStats) float64 { return float64(s.Open) }},
	{storeDesc("connections_in_use", "Connections for reading that are in use."),
		prometheus.GaugeValue, func(s *StoreStats) float64 { return float64(s.InUse) }},
	{storeDesc("connection_waits_total", "How often a read had to wait for a connection."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return float64(s.Waits) }},
	{storeDesc("connection_wait_seconds_total", "How long reads have waited for a connection."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return s.Waited.Seconds() }},
	{storeDesc("commits_total", "Commits, each of one write or of several that waited together."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return float64(s.Commits) }},
	{storeDesc("writes_waiting", "Writes that wait for their commit."),
		prometheus.GaugeValue, func(s *StoreStats) float64 { return float64(s.Writes) }},
	{storeDesc("writer_busy_seconds_total", "Time for which the single writer of the embedded store was busy; one second "+
		"in each second is its limit."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return s.Busy.Seconds() }},
	{storeDesc("cache_hits_total", "Hits in the store's cache: of the embedded store, reads from a snapshot that was "+
		"kept."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return float64(s.Hits) }},
	{storeDesc("cache_misses_total", "Misses in the store's cache: of the embedded store, reads that needed a new "+
		"snapshot."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return float64(s.Misses) }},
	{storeDesc("page_hits_total", "Pages that the database found in its own cache; of PostgreSQL in shared_buffers, of "+
		"Db2 "+
		"in its buffer pools, for all clients of the database."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return float64(s.PageHits) }},
	{storeDesc("page_misses_total", "Pages that the database had to read from outside its own cache."),
		prometheus.CounterValue, func(s *StoreStats) float64 { return float64(s.PageMisses) }},
}

// The metrics that have labels or several values, or that only some stores have.
var (
	storeGroups    = storeDesc("commit_writes", "How many writes shared a commit.")
	storeFlushes   = storeDesc("commit_duration_seconds", "How long commits took, most of it the flush to disk.")
	storeRetries   = storeDesc("retries_total", "Operations that were retried, by cause.", "cause")
	storeFile      = storeDesc("file_bytes", "Size of the file of the embedded store.")
	storeJournal   = storeDesc("journal_bytes", "Size of the journal of the embedded store, beside its file.")
	storeDocuments = storeDesc("documents", "Stored documents, by kind: of the embedded store counted after the start, "+
		"and "+
		"until then no series; of PostgreSQL and Db2 the server's own estimate, at most a minute old (the planner's; the "+
		"last "+
		"RUNSTATS).", "kind")
	storeBytes = storeDesc("document_bytes", "Bytes of the documents as they are stored, by kind, without indexes: of "+
		"the "+
		"embedded store the documents alone; of PostgreSQL and Db2 their tables, with what is free in their pages, at most "+
		"a "+
		"minute old.", "kind")
	storePacked     = storeDesc("packed_documents_total", "Documents that were packed to be stored, by kind.", "kind")
	storePackedFrom = storeDesc("packed_raw_bytes_total", "Bytes of the packed documents before packing, by kind.", "kind")
	storePackedTo   = storeDesc("packed_stored_bytes_total", "Bytes of the packed documents after packing, by kind.",
		"kind")
)

// Describe implements prometheus.Collector.
func (c *storeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range storeFigures {
		out <- f.desc
	}
	for _, d := range []*prometheus.Desc{
		storeGroups, storeFlushes, storeRetries, storeFile, storeJournal, storeDocuments, storeBytes, storePacked,
		storePackedFrom, storePackedTo,
	} {
		out <- d
	}
}

// collected sends metrics to a scrape.
type collected chan<- prometheus.Metric

func (out collected) gauge(d *prometheus.Desc, v float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func (out collected) counter(d *prometheus.Desc, v float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
}

func (out collected) histogram(d *prometheus.Desc, values tally.Distribution) {
	if len(values.Counts) == 0 {
		return
	}
	buckets := make(map[float64]uint64, len(values.Bounds))
	var below uint64
	for i, bound := range values.Bounds {
		below += values.Counts[i]
		buckets[bound] = below
	}
	out <- prometheus.MustNewConstHistogram(d, values.Count(), values.Sum, buckets)
}

// Collect implements prometheus.Collector.
func (c *storeCollector) Collect(metrics chan<- prometheus.Metric) {
	s, out := c.stats(), collected(metrics)
	for _, f := range storeFigures {
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(&s))
	}
	out.histogram(storeGroups, s.Groups)
	out.histogram(storeFlushes, s.Flushes)
	for cause, n := range s.Retries {
		out.counter(storeRetries, float64(n), cause)
	}
	if s.File > 0 {
		out.gauge(storeFile, float64(s.File))
		out.gauge(storeJournal, float64(s.Journal))
	}
	for _, k := range s.Kinds {
		if k.Known {
			out.gauge(storeDocuments, float64(k.Documents), k.Kind)
			out.gauge(storeBytes, float64(k.Stored), k.Kind)
		}
		if k.Estimated {
			continue
		}
		out.counter(storePacked, float64(k.Packed), k.Kind)
		out.counter(storePackedFrom, float64(k.PackedFrom), k.Kind)
		out.counter(storePackedTo, float64(k.PackedTo), k.Kind)
	}
}
