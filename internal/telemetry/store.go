package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"brokerage/internal/store/tally"
)

// StoreStats is what a store tells of its inside. Counts are since it was opened. What a store does not have is zero,
// or, where it is a list or a distribution, left out of the metrics.
type StoreStats struct {
	Connections int // at most, for reading
	Open, InUse int // of them
	Waits       int64
	Waited      time.Duration // for a connection, all together

	Commits int64              // each of one or more writes
	Writes  int64              // that wait for their commit now
	Groups  tally.Distribution // how many writes shared a commit
	Flushes tally.Distribution // how long commits took, in seconds
	Busy    time.Duration      // of what writes

	Hits, Misses         int64 // reads by whether they found warm what they needed (see the store)
	PageHits, PageMisses int64 // pages that the database found in its own cache, or not

	Retries       map[string]int64 // of what was done again, by cause
	Kinds         []StoreKind
	File, Journal int64 // bytes
}

// StoreKind are the documents of a kind.
type StoreKind struct {
	Kind              string
	Known             bool  // that they were counted
	Documents, Stored int64 // that are there now, and their bytes as they are stored
	// Estimated is of a server: it estimates the two, and packs by itself, so that there is nothing to tell of the next
	// three.
	Estimated bool
	// Packed is how many documents were packed, from and to how many bytes.
	Packed, PackedFrom, PackedTo int64
}

// Store adds the metrics of a store, which is asked at each scrape; stats must not take long. A second store replaces
// nothing: it panics.
func (m *Metrics) Store(stats func() StoreStats) {
	m.registry.MustRegister(&storeCollector{stats: stats})
}

// storeCollector asks once for all series of a scrape, so that they fit together.
type storeCollector struct{ stats func() StoreStats }

func storeDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("brokerage_store_"+name, help, labels, nil)
}

var (
	storeConnections = storeDesc("connections_limit", "Connections for reading that may be open.")
	storeOpen        = storeDesc("connections_open", "Connections for reading that are open.")
	storeInUse       = storeDesc("connections_in_use", "Connections for reading that are in use.")
	storeWaits       = storeDesc("connection_waits_total", "How often a read had to wait for a connection.")
	storeWaited      = storeDesc("connection_wait_seconds_total", "How long reads have waited for a connection.")
	storeCommits     = storeDesc("commits_total", "Commits, each of one write or of several that waited together.")
	storeWrites      = storeDesc("writes_waiting", "Writes that wait for their commit.")
	storeGroups      = storeDesc("commit_writes", "How many writes shared a commit.")
	storeFlushes     = storeDesc("commit_duration_seconds", "How long commits took, most of it the flush to disk.")
	storeBusy        = storeDesc("writer_busy_seconds_total", "How long the one writer of the embedded store was at work; a second in a second is all it can.")
	storeHits        = storeDesc("cache_hits_total", "What was found in a cache: of the embedded store, reads from a snapshot that was kept.")
	storeMisses      = storeDesc("cache_misses_total", "What was not found in a cache: of the embedded store, reads that needed a new snapshot.")
	storePageHits    = storeDesc("page_hits_total", "Pages that the database found in its own cache; of PostgreSQL in shared_buffers, of Db2 in its buffer pools, for all clients of the database.")
	storePageMisses  = storeDesc("page_misses_total", "Pages that the database had to read from outside its own cache.")
	storeRetries     = storeDesc("retries_total", "What was done again, by cause.", "cause")
	storeFile        = storeDesc("file_bytes", "How large the file of the embedded store is.")
	storeJournal     = storeDesc("journal_bytes", "How large the journal of the embedded store is, beside its file.")
	storeDocuments   = storeDesc("documents", "Documents that are stored, by kind: of the embedded store counted after the start, and until then no series; of PostgreSQL and Db2 the server's own estimate, at most a minute old (the planner's; the last RUNSTATS).", "kind")
	storeBytes       = storeDesc("document_bytes", "Bytes of the documents as they are stored, by kind, without indexes: of the embedded store the documents alone; of PostgreSQL and Db2 their tables, with what is free in their pages, at most a minute old.", "kind")
	storePacked      = storeDesc("packed_documents_total", "Documents that were packed to be stored, by kind.", "kind")
	storePackedFrom  = storeDesc("packed_raw_bytes_total", "Bytes of the documents that were packed, before that, by kind.", "kind")
	storePackedTo    = storeDesc("packed_stored_bytes_total", "Bytes of the documents that were packed, after that, by kind.", "kind")
)

// Describe is of prometheus.Collector.
func (c *storeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		storeConnections, storeOpen, storeInUse, storeWaits, storeWaited, storeCommits, storeWrites, storeGroups, storeFlushes, storeBusy,
		storeHits, storeMisses, storePageHits, storePageMisses, storeRetries, storeFile, storeJournal,
		storeDocuments, storeBytes, storePacked, storePackedFrom, storePackedTo,
	} {
		out <- d
	}
}

// collected passes metrics on.
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

// Collect is of prometheus.Collector.
func (c *storeCollector) Collect(metrics chan<- prometheus.Metric) {
	s, out := c.stats(), collected(metrics)
	out.gauge(storeConnections, float64(s.Connections))
	out.gauge(storeOpen, float64(s.Open))
	out.gauge(storeInUse, float64(s.InUse))
	out.counter(storeWaits, float64(s.Waits))
	out.counter(storeWaited, s.Waited.Seconds())
	out.counter(storeCommits, float64(s.Commits))
	out.gauge(storeWrites, float64(s.Writes))
	out.histogram(storeGroups, s.Groups)
	out.histogram(storeFlushes, s.Flushes)
	out.counter(storeBusy, s.Busy.Seconds())
	out.counter(storeHits, float64(s.Hits))
	out.counter(storeMisses, float64(s.Misses))
	out.counter(storePageHits, float64(s.PageHits))
	out.counter(storePageMisses, float64(s.PageMisses))
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
