package telemetry

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"brokerage/internal/probe"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// scrape is a Prometheus collector that sends all its metrics in one function call, so that the metrics of a scrape are
// consistent. It describes none beforehand, because there are no series while their state is unknown.
type scrape func(series)

// Describe implements prometheus.Collector.
func (scrape) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (s scrape) Collect(out chan<- prometheus.Metric) { s(out) }

// series sends metrics to a scrape.
type series chan<- prometheus.Metric

// value sends a gauge, or a counter if its name ends in _total. Labels are names and values alternately.
func (out series) value(name, help string, v float64, labels ...string) {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		kind = prometheus.CounterValue
	}
	var names, values []string
	for i := 0; i < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	out <- prometheus.MustNewConstMetric(prometheus.NewDesc("brokerage_"+name, help, names, nil), kind, v, values...)
}

// count sends a value that is an integer.
func (out series) count(name, help string, n int64, labels ...string) {
	out.value(name, help, float64(n), labels...)
}

// flag sends 1 for true and 0 for false.
func (out series) flag(name, help string, is bool, labels ...string) {
	value := 0.0
	if is {
		value = 1
	}
	out.value(name, help, value, labels...)
}

// histogram sends a distribution, unless it is empty.
func (out series) histogram(name, help string, values store.Distribution) {
	if len(values.Counts) == 0 {
		return
	}
	buckets := make(map[float64]uint64, len(values.Bounds))
	var below uint64
	for i, bound := range values.Bounds {
		below += values.Counts[i]
		buckets[bound] = below
	}
	out <- prometheus.MustNewConstHistogram(prometheus.NewDesc("brokerage_"+name, help, nil, nil),
		values.Count(), values.Sum, buckets)
}

// Ready sets whether the store can answer.
func (m *Metrics) Ready(is bool) { m.ready.Store(is) }

// Dataset sets what the store holds, and the bytes of the documents by the name of their kind. The caller must not
// change raw afterwards. Each scrape sees the metrics of one dataset.
func (m *Metrics) Dataset(c tpox.Contents, raw map[string]int64) {
	send := scrape(func(out series) {
		if c.Fingerprint == "" {
			return
		}
		out.count("dataset_info",
			"Which dataset was loaded; always 1. Without one, or while a load is not finished, there is no series.", 1,
			"fingerprint", c.Fingerprint, "scale", c.Scale, "profile", c.Profile, "seed", strconv.FormatUint(c.Seed, 10))
		for kind, n := range map[string]int64{"security": c.Securities, "customer": c.Customers, "order": c.Orders} {
			out.count("dataset_documents", "Documents of the loaded dataset as it was generated, by kind.", n,
				"kind", kind)
		}
		for kind, bytes := range raw {
			out.count("dataset_raw_bytes", "Bytes of the loaded documents before packing, by kind.",
				bytes, "kind", kind)
		}
	})
	m.dataset.Store(&send)
}

// Sources are the parts of a service that are asked at each scrape. Audit and Certificate are nil for a service without
// them.
type Sources struct {
	Limit       int                              // of requests that are processed at once; 0 is no limit
	Waiting     func() int64                     // requests that wait to be processed
	Audit       func() (waiting int, lost int64) // records of the audit log
	Certificate func() time.Time                 // when the TLS certificate expires
}

// Service adds the metrics of the parts of a service.
func (m *Metrics) Service(s Sources) {
	m.registry.MustRegister(scrape(func(out series) {
		out.count("requests_in_flight_limit", "Limit of requests that are processed at once; 0 is no limit.", int64(s.Limit))
		out.count("requests_waiting", "Requests that wait to be processed.", s.Waiting())
		if s.Audit != nil {
			waiting, lost := s.Audit()
			out.count("audit_records_waiting",
				"Records of the audit log that are not written yet; unless it is 0, writes are refused.", int64(waiting))
			out.count("audit_records_lost_total",
				"Records that the audit log lost, because too many waited to be written.", lost)
		}
		if s.Certificate != nil {
			out.count("tls_certificate_expiry_timestamp_seconds", "When the certificate of the service expires, in Unix time; "+
				"only with TLS.", s.Certificate().Unix())
		}
	}))
}

// Disk adds the space of the file system that the database is on. Each scrape calls room.
func (m *Metrics) Disk(room func() (free, size float64)) {
	m.registry.MustRegister(scrape(func(out series) {
		free, size := room()
		out.value("store_disk_free_bytes", "Free bytes of the file system that the database is on.", free)
		out.value("store_disk_size_bytes", "Size of the file system that the database is on.", size)
	}))
}

// Store adds the metrics of the service's store and its engine. Each scrape calls stats once, which must be quick.
// stats is nil for a store without statistics.
func (m *Metrics) Store(e tpox.EngineInfo, stats func() store.Stats) {
	m.registry.MustRegister(scrape(func(out series) {
		out.count("store_info", "Engine, version and durability of the store, and the database's identity; always 1.", 1,
			"store", e.Name, "version", e.Version, "durability", e.Durability, "database", e.Identity)
		if stats == nil {
			return
		}
		s := stats()
		out.count("store_connections_limit", "Maximum number of connections; of the embedded store, those for reading.",
			int64(s.Connections))
		out.count("store_connections_open", "Open connections; of the embedded store, those for reading.", int64(s.Open))
		out.count("store_connections_in_use", "Connections in use; of the embedded store, those for reading.", int64(s.InUse))
		out.count("store_connection_waits_total",
			"How often a request had to wait for a connection; of the embedded store, only reads.", s.Waits)
		out.value("store_connection_wait_seconds_total",
			"How long requests waited for a connection; of the embedded store, only reads.", s.Waited.Seconds())
		out.count("store_commits_total", "Commits, each of one write or of several that waited together.", s.Commits)
		out.count("store_writes_waiting", "Writes that wait for their commit.", s.Writes)
		out.histogram("store_commit_writes", "How many writes shared a commit.", s.Groups)
		out.histogram("store_commit_duration_seconds", "How long commits took, most of it the flush to disk.", s.Flushes)
		out.value("store_writer_busy_seconds_total", "Time for which the single writer of the embedded store was busy; one "+
			"second in each second is its limit.", s.Busy.Seconds())
		out.count("store_cache_hits_total",
			"Hits in the store's cache: of the embedded store, reads from a cached snapshot.", s.Hits)
		out.count("store_cache_misses_total",
			"Misses in the store's cache: of the embedded store, reads that needed a new snapshot.", s.Misses)
		out.count("store_page_hits_total", "Pages that the database found in its own cache; of PostgreSQL in "+
			"shared_buffers, of Db2 in its buffer pools, for all clients of the database.", s.PageHits)
		out.count("store_page_misses_total", "Pages that the database had to read from outside its own cache.", s.PageMisses)
		for cause, n := range s.Retries {
			out.count("store_retries_total", "Operations that were retried, by cause.", n, "cause", cause)
		}
		if s.File > 0 {
			out.count("store_writer_page_hits_total", "Page cache hits of the embedded store's connection for writing; "+
				"brokerage_store_page_hits_total includes them.", s.WriterPageHits)
			out.count("store_writer_page_misses_total", "Page cache misses of the embedded store's connection for writing; "+
				"brokerage_store_page_misses_total includes them.", s.WriterPageMisses)
			out.count("store_page_writes_total", "Pages that the embedded store wrote to its journal.", s.PageWrites)
			out.count("store_file_bytes", "Size of the file of the embedded store.", s.File)
			out.count("store_journal_bytes", "Size of the journal of the embedded store, beside its file.", s.Journal)
		}
		for kind, n := range s.IDsLeft {
			out.count("ids_left", "Ids of new documents that can still be leased, by kind.", n, "kind", kind)
		}
		for i := range s.Kinds {
			out.storeKind(&s.Kinds[i])
		}
		if len(s.Replicas) > 0 {
			out.replicas(&s)
		}
	}))
}

func (out series) storeKind(k *store.KindStats) {
	if k.Known {
		out.count("store_documents", "Stored documents, by kind. Embedded store: counted after the start, no series until "+
			"then. PostgreSQL: the planner's estimate; Db2: that of the last RUNSTATS; each read at most once a minute.",
			k.Documents, "kind", k.Kind)
		out.count("store_document_bytes", "Bytes of the documents as they are stored, by kind, without indexes. Embedded "+
			"store: the documents alone. PostgreSQL and Db2: their tables, with the free space in their pages, read at most "+
			"once a minute.", k.Stored, "kind", k.Kind)
	}
	if k.Estimated {
		return
	}
	out.count("store_packed_documents_total", "Documents that were packed to be stored, by kind.", k.Packed,
		"kind", k.Kind)
	out.count("store_packed_raw_bytes_total", "Bytes of the packed documents before packing, by kind.", k.PackedFrom,
		"kind", k.Kind)
	out.count("store_packed_stored_bytes_total", "Bytes of the packed documents after packing, by kind.", k.PackedTo,
		"kind", k.Kind)
}

func (out series) replicas(s *store.Stats) {
	reads := func(n int64, target string) {
		out.count("store_reads_total", "Reads by the server that answered: primary, or the address of a replica; only with "+
			"--replica.", n, "target", target)
	}
	reads(s.PrimaryReads, "primary")
	for reason, n := range s.Fallbacks {
		out.count("store_replica_fallbacks_total", "Reads that the primary answered although their headers allowed a "+
			"replica, by reason.", n, "reason", reason)
	}
	for i := range s.Replicas {
		r := &s.Replicas[i]
		reads(r.Reads, r.Name)
		out.flag("store_replica_up", "1 if the replica gets reads; otherwise 0.", r.InRotation, "replica", r.Name)
		if r.Known {
			out.count("store_replica_lag_bytes", "Bytes of the log that the replica had not replayed when it last reported.",
				r.LagBytes, "replica", r.Name)
			out.value("store_replica_lag_seconds", "Maximum age of the replica's data: how long the primary has been ahead of "+
				"it, but at least the interval of the checks.", r.Age.Seconds(), "replica", r.Name)
		}
	}
}

// ProcessMetrics are the metrics of the service's process by the figures of package probe. Prometheus's own
// collectors provide the whole processor time and the memory.
var ProcessMetrics = map[string]struct{ Name, help string }{
	probe.UserSeconds:   {"brokerage_process_user_seconds_total", "Processor time of the process in its own code."},
	probe.SystemSeconds: {"brokerage_process_system_seconds_total", "Processor time of the process in the kernel."},
	probe.IOWaitSeconds: {
		"brokerage_process_io_wait_seconds_total",
		"Time for which the process waited for disks; no series where the kernel does not count it.",
	},
	probe.ReadCalls:  {"brokerage_process_read_calls_total", "System calls that read from files and connections."},
	probe.WriteCalls: {"brokerage_process_write_calls_total", "System calls that write to files and connections."},
	probe.ReadBytes:  {"brokerage_process_read_bytes_total", "Bytes that the process read from disks."},
	probe.WriteBytes: {"brokerage_process_written_bytes_total", "Bytes that the process wrote to disks."},
	probe.PeakMemory: {"brokerage_process_peak_memory_bytes", "Largest resident memory of the process since its start."},
}
