package telemetry

import (
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"brokerage/internal/brokerage"
)

// The metrics of the dataset.
var (
	datasetInfo = prometheus.NewDesc("brokerage_dataset_info",
		"Which dataset was loaded; always 1. Without one, or while a load is not finished, there is no series.",
		[]string{"fingerprint", "scale", "profile", "seed"}, nil)
	datasetDocuments = prometheus.NewDesc("brokerage_dataset_documents",
		"Documents of the dataset that was loaded, as it was generated, by kind.", []string{"kind"}, nil)
	datasetBytes = prometheus.NewDesc("brokerage_dataset_raw_bytes",
		"Bytes of the documents that loads have brought, before they were packed, by kind.", []string{"kind"}, nil)
)

// datasetCollector collects the metrics of the dataset. They are replaced together, so that each scrape sees all those
// of one dataset.
type datasetCollector struct {
	current atomic.Pointer[datasetState]
}

type datasetState struct {
	contents brokerage.Contents
	raw      map[string]int64 // bytes by kind
}

// Describe implements prometheus.Collector.
func (c *datasetCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{datasetInfo, datasetDocuments, datasetBytes} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *datasetCollector) Collect(metrics chan<- prometheus.Metric) {
	s, out := c.current.Load(), collected(metrics)
	if s == nil || s.contents.Fingerprint == "" {
		return
	}
	of := s.contents
	out.gauge(datasetInfo, 1, of.Fingerprint, of.Scale, of.Profile, strconv.FormatUint(of.Seed, 10))
	for kind, n := range map[string]int64{"security": of.Securities, "customer": of.Customers, "order": of.Orders} {
		out.gauge(datasetDocuments, float64(n), kind)
	}
	for kind, bytes := range s.raw {
		out.gauge(datasetBytes, float64(bytes), kind)
	}
}

// registerState registers the metrics that are states rather than counts.
func (m *Metrics) registerState() {
	m.dataset = new(datasetCollector)
	m.ready = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "brokerage_store_ready",
		Help: "1 if the store could answer at the last check, every few seconds; otherwise 0.",
	})
	m.registry.MustRegister(m.dataset, m.ready)
}

// Ready sets whether the store can answer.
func (m *Metrics) Ready(is bool) {
	value := 0.0
	if is {
		value = 1
	}
	m.ready.Set(value)
}

// Dataset sets what the store holds, and the bytes of the documents by the name of their kind. It keeps raw.
func (m *Metrics) Dataset(c brokerage.Contents, raw map[string]int64) {
	m.dataset.current.Store(&datasetState{c, raw})
}

// Gate adds the limit of requests that are processed at once, 0 for none, and the number of those that wait for a slot.
func (m *Metrics) Gate(limit int, waiting func() int64) {
	m.gauge("brokerage_requests_in_flight_limit", "Limit of requests that are processed at once; 0 is no limit.",
		func() float64 { return float64(limit) })
	m.gauge("brokerage_requests_waiting", "Requests that wait to be processed.",
		func() float64 { return float64(waiting()) })
}

// Audit adds the records of the audit log that wait to be written, and those that were lost because too many waited.
func (m *Metrics) Audit(backlog func() (kept int, lost int64)) {
	m.gauge("brokerage_audit_records_waiting",
		"Records of the audit log that could not be written yet; unless it is 0, writes are refused.", func() float64 {
			kept, _ := backlog()
			return float64(kept)
		})
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "brokerage_audit_records_lost_total",
		Help: "Records that the audit log lost, because too many waited to be written.",
	}, func() float64 {
		_, lost := backlog()
		return float64(lost)
	}))
}

// Disk adds the space of the file system that the database is on. Each scrape calls room.
func (m *Metrics) Disk(room func() (free, size float64)) {
	m.gauge("brokerage_store_disk_free_bytes", "Free bytes of the file system that the database is on.", func() float64 {
		free, _ := room()
		return free
	})
	m.gauge("brokerage_store_disk_size_bytes", "Size of the file system that the database is on.", func() float64 {
		_, size := room()
		return size
	})
}

func (m *Metrics) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// Engine adds the engine of the store, its version and its durability.
func (m *Metrics) Engine(e brokerage.Engine) {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "brokerage_store_info",
		Help: "What the store runs on, and how durable a commit is; always 1.",
	}, []string{"store", "version", "durability"})
	info.WithLabelValues(e.Name, e.Version, e.Durability).Set(1)
	m.registry.MustRegister(info)
}
