package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"brokerage/internal/brokerage"
)

// How a request ends.
const (
	OK          = "ok"
	NotFound    = "not_found"
	Conflict    = "conflict"
	Invalid     = "invalid"
	Refused     = "refused"     // any other 4xx
	Unavailable = "unavailable" // 503
	Timeout     = "timeout"     // 504
	Damaged     = "damaged"     // 500, because what is stored is damaged
	Failed      = "failed"      // any other 500, and what is none of these
)

// Outcomes are all of them.
var Outcomes = [...]string{OK, NotFound, Conflict, Invalid, Refused, Unavailable, Timeout, Damaged, Failed}

// beside the 17 transactions are the other operations on data.
var beside = [...]string{"get_customer", "replace_customer", "replace_security", "get_account", "get_dataset", "lease_ids", Other}

// Other stands for what is none: probes, documentation, paths that lead nowhere.
const Other = "other"

// Why a request is refused before the store sees it. What can be said is defined here and nowhere else.
const (
	QueueFull    = "queue_full"     // as many wait as may
	QueueWait    = "queue_wait"     // it has waited as long as it may
	RateLimit    = "rate_limit"     // the client has sent as many as it may
	Unauthorized = "unauthorized"   // without a valid token
	Forbidden    = "forbidden"      // with one that may not do this
	TooLarge     = "body_too_large" // the body
	WatchersFull = "watchers_full"  // as many watch the service as may
	AuditLog     = "audit_log"      // a write that the audit log could not record
	Draining     = "draining"       // a probe, or one who wants to watch: the service is stopping
)

// Reasons are all of them; their series exist from the start.
var Reasons = [...]string{QueueFull, QueueWait, RateLimit, Unauthorized, Forbidden, TooLarge, WatchersFull, AuditLog, Draining}

// durations are the bounds of the histogram: from an embedded store's look-up to the deadline of a request. Native
// histograms, where they are scraped, have eight classes a doubling beside them: percentiles to within 5 %.
var durations = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// BuildInfo says which build is running.
type BuildInfo struct {
	Version, Revision, GoVersion string
}

// Metrics are the metrics of a service. They are safe for concurrent use.
type Metrics struct {
	registry     *prometheus.Registry
	transactions map[string]*transaction
	refused      *prometheus.CounterVec
	inFlight     prometheus.Gauge
	dataset      *datasetCollector
	ready        prometheus.Gauge
}

// transaction is the series of one: found by its name once, and then counted without looking for labels.
type transaction struct {
	outcomes [len(Outcomes)]prometheus.Counter
	duration prometheus.Observer
	received prometheus.Counter
	sent     prometheus.Counter
}

// New makes the metrics of a service, with those of its process and of Go.
func New(build BuildInfo) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), transactions: make(map[string]*transaction)}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "brokerage_build_info", Help: "Which build is running; always 1.",
	}, []string{"version", "revision", "goversion"})
	info.WithLabelValues(build.Version, build.Revision, build.GoVersion).Set(1)

	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "brokerage_transactions_total", Help: "Requests that have ended, by transaction and outcome.",
	}, []string{"transaction", "outcome"})
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "brokerage_transaction_duration_seconds", Help: "How long requests took in the service, by transaction.", Buckets: durations,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160, NativeHistogramMinResetDuration: time.Hour,
	}, []string{"transaction"})
	received := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "brokerage_request_bytes_total", Help: "Bytes of the bodies of requests as they were read, by transaction.",
	}, []string{"transaction"})
	sent := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "brokerage_answer_bytes_total", Help: "Bytes of the bodies of answers as they were sent, by transaction.",
	}, []string{"transaction"})
	m.refused = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "brokerage_requests_refused_total", Help: "Requests that were refused before the store saw them, by reason.",
	}, []string{"reason"})
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "brokerage_requests_in_flight", Help: "Requests that are being worked on.",
	})
	m.registry.MustRegister(info, total, duration, received, sent, m.refused, m.inFlight)
	m.registerState()

	add := func(name string) {
		t := &transaction{duration: duration.WithLabelValues(name), received: received.WithLabelValues(name), sent: sent.WithLabelValues(name)}
		for i, outcome := range Outcomes {
			t.outcomes[i] = total.WithLabelValues(name, outcome)
		}
		m.transactions[name] = t
	}
	for _, t := range brokerage.Transactions {
		add(t.Name)
	}
	for _, name := range beside {
		add(name)
	}
	for _, reason := range Reasons {
		m.refused.WithLabelValues(reason)
	}
	return m
}

// Handler serves the metrics in Prometheus's formats: text, and, where it is asked for, protobuf, which alone has the
// native histograms.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// Observe counts a request that has ended. A transaction that is not known counts as Other, an outcome that is not
// known as Failed. Bytes are those of the bodies.
func (m *Metrics) Observe(transaction, outcome string, took time.Duration, received, sent int) {
	t := m.transactions[transaction]
	if t == nil {
		t = m.transactions[Other]
	}
	t.outcomes[index(outcome)].Inc()
	t.duration.Observe(took.Seconds())
	if received > 0 {
		t.received.Add(float64(received))
	}
	if sent > 0 {
		t.sent.Add(float64(sent))
	}
}

// index is the place of an outcome; a search through nine beats a map.
func index(outcome string) int {
	for i, name := range Outcomes {
		if name == outcome {
			return i
		}
	}
	return len(Outcomes) - 1
}

// Refused counts a request that was refused before the store saw it. The reason is one of Reasons.
func (m *Metrics) Refused(reason string) { m.refused.WithLabelValues(reason).Inc() }

// InFlight counts requests in and out.
func (m *Metrics) InFlight(delta int) { m.inFlight.Add(float64(delta)) }
