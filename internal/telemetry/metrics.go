// Package telemetry provides the metrics, traces and logs of the service.
//
// Metrics have their own registry, not the global one. The series of requests exist from the start: their labels come
// from fixed lists, never from a client, which could otherwise create any number of series.
package telemetry

import (
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"brokerage/internal/probe"
	"brokerage/internal/tpox"
)

// The outcomes of requests.
const (
	OK          = "ok"
	NotFound    = "not_found"
	Conflict    = "conflict"
	Invalid     = "invalid"
	Refused     = "refused"     // any other 4xx
	Unavailable = "unavailable" // 503
	Timeout     = "timeout"     // 504
	Damaged     = "damaged"     // 500, because stored data is damaged
	Failed      = "failed"      // any other 5xx
)

// Outcomes are all outcomes.
var Outcomes = [...]string{OK, NotFound, Conflict, Invalid, Refused, Unavailable, Timeout, Damaged, Failed}

// otherOperations are the operations on data that are no transactions, and Other.
var otherOperations = [...]string{"get_customer", "replace_customer", "replace_security", "get_account", "get_dataset",
	"lease_ids", Other}

// Other counts requests that are no operation on data: probes, documentation, unknown paths.
const Other = "other"

// The reasons for which a request is refused before the store begins it.
const (
	QueueFull    = "queue_full"     // the queue is full
	QueueWait    = "queue_wait"     // it has waited too long for a free slot
	RateLimit    = "rate_limit"     // the client has sent too many requests
	Unauthorized = "unauthorized"   // no valid token
	Forbidden    = "forbidden"      // the scopes of the token, or the origin of the page, do not allow the request
	TooLarge     = "body_too_large" // the body is over the limit
	WatchersFull = "watchers_full"  // too many clients watch the service
	AuditLog     = "audit_log"      // the audit log could not record a write
	Draining     = "draining"       // the service is stopping
)

// Reasons are all reasons; their series exist from the start.
var Reasons = [...]string{QueueFull, QueueWait, RateLimit, Unauthorized, Forbidden, TooLarge, WatchersFull, AuditLog,
	Draining}

// durations are the bucket bounds of the histogram, in seconds: from a lookup in an embedded store to the deadline of
// a request. Native histograms, if scraped, have eight buckets for each doubling: percentiles to within 5 %.
var durations = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// statementDurations are the bucket bounds of statements, in seconds: fewer, because there are many statements.
var statementDurations = []float64{.00025, .001, .005, .025, .1, .5, 2.5, 10}

// BuildInfo identifies the build that is running.
type BuildInfo struct {
	Version, Revision, GoVersion string
}

// Metrics are the metrics of a service. They are safe for concurrent use.
type Metrics struct {
	registry     *prometheus.Registry
	transactions map[string]*transaction
	refused      *prometheus.CounterVec
	statements   *prometheus.HistogramVec
	inFlight     prometheus.Gauge
	reloads      *prometheus.GaugeVec
	ready        atomic.Bool
	dataset      atomic.Pointer[scrape] // nil until it is known
}

// transaction holds the series of a transaction, so that requests need not look them up by label.
type transaction struct {
	outcomes       [len(Outcomes)]prometheus.Counter
	duration       prometheus.Observer
	received, sent prometheus.Counter
}

// New returns the metrics of a service, with those of its process and of the Go runtime.
func New(build BuildInfo) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	factory := promauto.With(registry)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Name: "brokerage_" + name, Help: help}, labels)
	}
	total := counters("transactions_total", "Requests that have ended, by transaction and outcome.",
		"transaction", "outcome")
	duration := factory.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "brokerage_transaction_duration_seconds",
		Help:    "How long requests took in the service, by transaction; without those that were answered with 503.",
		Buckets: durations, NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160,
		NativeHistogramMinResetDuration: time.Hour,
	}, []string{"transaction"})
	received := counters("request_bytes_total", "Bytes of the bodies of requests as they were read, by transaction.",
		"transaction")
	sent := counters("answer_bytes_total", "Bytes of the bodies of answers as they were sent, by transaction.",
		"transaction")
	m := &Metrics{
		registry: registry, transactions: map[string]*transaction{},
		statements: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "brokerage_store_statement_duration_seconds",
			Help:    "How long a database server took to answer a statement, by the name of its file.",
			Buckets: statementDurations,
		}, []string{"statement"}),
		refused: counters("requests_refused_total", "Requests that were refused before the store began them, by reason.",
			"reason"),
		inFlight: factory.NewGauge(prometheus.GaugeOpts{
			Name: "brokerage_requests_in_flight", Help: "Requests that are being processed."}),
		reloads: factory.NewGaugeVec(prometheus.GaugeOpts{
			Name: "brokerage_reload_failed",
			Help: "1 if the last attempt to read tokens, the issuer's keys or the certificate again failed, so that older " +
				"ones stay in use.",
		}, []string{"what"}),
	}
	registry.MustRegister(scrape(func(out series) {
		out.count("build_info", "Which build is running; always 1.", 1,
			"version", build.Version, "revision", build.Revision, "goversion", build.GoVersion)
		out.flag("store_ready", "1 if the store could answer at the last check, every few seconds; otherwise 0.",
			m.ready.Load())
		if send := m.dataset.Load(); send != nil {
			(*send)(out)
		}
		// A figure that the system does not report has no series.
		for figure, value := range probe.Here.Process(os.Getpid()).Figures {
			if metric, ok := ProcessMetrics[figure]; ok {
				out.value(strings.TrimPrefix(metric.Name, "brokerage_"), metric.help, value)
			}
		}
	}))
	names := otherOperations[:]
	for _, t := range tpox.Transactions {
		names = append(names, t.Name)
	}
	for _, name := range names {
		t := &transaction{duration: duration.WithLabelValues(name),
			received: received.WithLabelValues(name), sent: sent.WithLabelValues(name)}
		for i, outcome := range Outcomes {
			t.outcomes[i] = total.WithLabelValues(name, outcome)
		}
		m.transactions[name] = t
	}
	for _, reason := range Reasons {
		m.refused.WithLabelValues(reason)
	}
	return m
}

// Handler serves the metrics as text, or as protobuf if the client accepts that: only protobuf has
// native histograms.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// Observe counts a request that has ended. A transaction that is not known counts as Other, an outcome that is not
// known as Failed. received and sent are bytes of the bodies. traceID, unless empty, is the exemplar of a bucket.
func (m *Metrics) Observe(
	transaction, outcome string, took time.Duration, received, sent int, traceID string,
) {
	t := m.transactions[transaction]
	if t == nil {
		t = m.transactions[Other]
	}
	index := len(Outcomes) - 1
	for i, name := range Outcomes { // a search through nine is faster than a map, and than slices.Index
		if name == outcome {
			index = i
			break
		}
	}
	t.outcomes[index].Inc()
	switch {
	case outcome == Unavailable: // a failure; the objectives do not also count it as slow
	case traceID == "":
		t.duration.Observe(took.Seconds())
	default:
		t.duration.(prometheus.ExemplarObserver).ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": traceID})
	}
	if received > 0 {
		t.received.Add(float64(received))
	}
	if sent > 0 {
		t.sent.Add(float64(sent))
	}
}

// Statement counts a statement that a database server answered, or that failed. Its name never comes from a client.
func (m *Metrics) Statement(name string, took time.Duration) {
	m.statements.WithLabelValues(name).Observe(took.Seconds())
}

// Refused counts a request that was refused before the store began it. The reason is one of Reasons.
func (m *Metrics) Refused(reason string) { m.refused.WithLabelValues(reason).Inc() }

// Reloaded records whether the last reading of tokens, keys or the certificate failed.
func (m *Metrics) Reloaded(what string, err error) {
	failed := 0.0
	if err != nil {
		failed = 1
	}
	m.reloads.WithLabelValues(what).Set(failed)
}

// InFlight adds to the number of requests that are being processed.
func (m *Metrics) InFlight(delta int) { m.inFlight.Add(float64(delta)) }
