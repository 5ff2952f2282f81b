package drive

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/xml"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"brokerage/internal/format"
	"brokerage/internal/probe"
	"brokerage/internal/result"
	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
)

// The most bytes of an answer that are read: of the service's metrics, and of any other.
const (
	maxMetrics = 16 << 20
	maxAnswer  = 1 << 20
	maxHead    = 64 << 10 // headers
)

const metricsPath = "/metrics"

// HTTP is a Target that calls a service.
type HTTP struct {
	base      *url.URL
	header    http.Header     // of all requests
	transport *http.Transport // of requests beside the workload
}

// ServiceURL parses the URL of a service and removes the slash at its end.
func ServiceURL(base string) (*url.URL, error) {
	u, err := format.ParseURL(base)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("not the URL of a service, such as http://127.0.0.1:8080")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL of a service has no user, no parameters and no fragment")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// NewHTTP returns a target for the service at a URL. The token may be empty. The TLS configuration is for https URLs;
// nil is the default one.
func NewHTTP(base, token string, security *tls.Config) (*HTTP, error) {
	u, err := ServiceURL(base)
	switch {
	case err != nil:
		return nil, err
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token contains characters that are not allowed in a header")
	}
	if security == nil {
		security = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	h := &HTTP{base: u, header: make(http.Header), transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: security, MaxResponseHeaderBytes: maxHead,
		DisableCompression: true, // unpacking answers would be work of the load generator
	}}
	if token != "" {
		h.header.Set("Authorization", "Bearer "+token)
	}
	return h, nil
}

// refusedError is the error for a request outside of the workload that a service refused.
type refusedError struct {
	what   string
	status int
}

func (e *refusedError) Error() string {
	switch e.status {
	case http.StatusUnauthorized:
		return "the service does not accept the token (401): set --token or BROKERAGE_TOKEN to one made by brokerage token"
	case http.StatusForbidden:
		return fmt.Sprintf("the token may not %s (403): it needs another scope", e.what)
	default:
		return fmt.Sprintf("the service answered %d when asked to %s", e.status, e.what)
	}
}

func isNotFound(err error) bool {
	refused, ok := errors.AsType[*refusedError](err)
	return ok && refused.status == http.StatusNotFound
}

// ask sends a request outside of the workload and unmarshals the response into v.
func (h *HTTP) ask(ctx context.Context, method, path, what string, v any) error {
	body, err := h.fetch(ctx, method, path, what)
	if err != nil {
		return err
	}
	if err := xml.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: not a brokerage service: %w", format.URL(h.base.String()), err)
	}
	return nil
}

// fetch sends a request outside of the workload, and follows no redirect: the token is for this service alone.
func (h *HTTP) fetch(ctx context.Context, method, path, what string) ([]byte, error) {
	return h.session(h.transport).fetch(ctx, method, path, what)
}

func (h *HTTP) describe(ctx context.Context) (result.Target, *workload.Population, error) {
	t := result.Target{Kind: result.HTTP, URL: format.URL(h.base.String()), SameHost: isLocal(h.base.Hostname())}
	var service struct {
		XMLName xml.Name `xml:"urn:brokerage:service Version"`
		Version string   `xml:"version,attr"`
	}
	if err := h.ask(ctx, http.MethodGet, "/version", "say its version", &service); err != nil {
		return t, nil, err
	}
	p := &workload.Population{}
	err := h.ask(ctx, http.MethodGet, "/v1/dataset?symbols=true", "read the dataset", p)
	if isNotFound(err) {
		p, err = &workload.Population{}, workload.ErrNoDataset
	}
	t.Version, t.Engine = service.Version, p.Store.Name
	return t, p, err
}

// isLocal reports whether a host is this computer.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	if ip == nil || ip.IsLoopback() {
		return ip != nil || host == "localhost"
	}
	own, _ := net.InterfaceAddrs()
	return slices.ContainsFunc(own, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// permits finds out whether the token has the scopes that the workload needs, without changing a document: it leases
// one id, and replaces a customer that cannot exist. A service checks the scopes first, so 404 means that the scope is
// there.
func (h *HTTP) permits(ctx context.Context, d *workload.Definition) error {
	if err := d.Fits(""); err != nil {
		return err
	}
	if d.Writes() {
		if _, err := h.fetch(ctx, http.MethodPost, leasePath("order", 1), "write (scope trade)"); err != nil {
			return err
		}
	}
	if !d.Replaces() {
		return nil
	}
	_, err := h.fetch(ctx, http.MethodPut, "/v1/customers/0", "replace documents (scope admin)")
	if isNotFound(err) {
		return nil
	}
	return err
}

func leasePath(kind string, count int64) string {
	return fmt.Sprintf("/v1/dataset/leases?kind=%s&count=%d", kind, count)
}

func (h *HTTP) lease(ctx context.Context, kind string, count int64) (tpox.Range, error) {
	var v struct {
		XMLName xml.Name `xml:"urn:brokerage:service Lease"`
		First   int64    `xml:"first,attr"`
		Count   int64    `xml:"count,attr"`
	}
	err := h.ask(ctx, http.MethodPost, leasePath(kind, count), "lease ids (scope trade)", &v)
	if err == nil && (v.Count < 1 || v.Count > count || v.First < 1 || v.First > tpox.LastLease(v.Count)) {
		err = fmt.Errorf("the service at %s leased %d ids from %d on when asked for %d: not a lease of a brokerage service",
			format.URL(h.base.String()), v.Count, v.First, count)
	}
	return tpox.Range{First: tpox.ID(v.First), Count: v.Count}, err
}

// reading reads the service's metrics. It is empty when they are served elsewhere.
func (h *HTTP) reading(ctx context.Context) (reading, error) {
	text, err := h.fetch(ctx, http.MethodGet, metricsPath, "read its metrics")
	if tpox.Is[*refusedError](err) {
		err = nil
	}
	return readMetrics(text), err
}

// readMetrics reads the metrics without labels from Prometheus's text format: those of the process and of the store.
func readMetrics(text []byte) (r reading) {
	metrics := make(probe.Figures)
	for line := range bytes.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if v, err := strconv.ParseFloat(value, 64); err == nil && !strings.Contains(name, "{") {
			metrics[name] = v
		}
	}
	r.store = make(probe.Figures)
	for name, v := range metrics {
		if strings.HasPrefix(name, "brokerage_store_") {
			r.store[name] = v
		}
	}
	memory, ok := metrics["process_resident_memory_bytes"]
	if !ok {
		r.missing = []string{"it serves no metrics of its process at its address"}
		return r
	}
	r.process = probe.Figures{probe.Memory: memory}
	for figure, metric := range telemetry.ProcessMetrics {
		if v, ok := metrics[metric.Name]; ok {
			r.process[figure] = v
		} else {
			r.missing = append(r.missing, figure+" is not among its metrics")
		}
	}
	return r
}
