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

// HTTP is a Target that calls a service.
type HTTP struct {
	base      string // its URL
	host      string
	header    http.Header     // of all requests
	transport *http.Transport // of requests outside of the users' sessions
}

// ServiceURL parses the URL of a service and removes the slash at its end.
func ServiceURL(base string) (*url.URL, error) {
	u, err := format.ParseURL(base)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("not the URL of a service, such as http://127.0.0.1:8080")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL of a service must not have a user, parameters or a fragment")
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
	h := &HTTP{base: u.String(), host: u.Hostname(), header: make(http.Header), transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: security,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // unpacking answers would be work of the load generator
	}}
	if token != "" {
		h.header.Set("Authorization", "Bearer "+token)
	}
	return h, nil
}

// refusedError is the error for a refused request outside of the workload.
type refusedError struct {
	status int
	what   string
}

func refused(status int, what string) error { return &refusedError{status, what} }

func (e *refusedError) Error() string {
	switch e.status {
	case http.StatusUnauthorized:
		return "the service requires a valid token (401): set --token or BROKERAGE_TOKEN to one made by brokerage token"
	case http.StatusForbidden:
		return fmt.Sprintf("the token may not %s (403): it needs another scope", e.what)
	default:
		return fmt.Sprintf("the service answered %d to a request to %s", e.status, e.what)
	}
}

// fetch sends a request outside of the workload, and follows no redirect: the token is for this service alone.
func (h *HTTP) fetch(ctx context.Context, method, path string) (status int, body []byte, err error) {
	return (&httpSession{target: h, transport: h.transport}).fetch(ctx, method, path)
}

// ask sends a request outside of the workload and unmarshals the response into v.
func (h *HTTP) ask(ctx context.Context, method, path, what string, v any) (status int, err error) {
	status, body, err := h.fetch(ctx, method, path)
	switch {
	case err != nil:
		return status, err
	case status != http.StatusOK:
		return status, refused(status, what)
	}
	if err := xml.Unmarshal(body, v); err != nil {
		return status, fmt.Errorf("%s: not a brokerage service: %w", format.URL(h.base), err)
	}
	return status, nil
}

func (h *HTTP) describe(ctx context.Context) (result.Target, *workload.Population, error) {
	t := result.Target{Kind: result.HTTP, URL: format.URL(h.base), SameHost: isLocal(h.host)}
	var service struct {
		XMLName xml.Name `xml:"urn:brokerage:service Version"`
		Version string   `xml:"version,attr"`
	}
	if _, err := h.ask(ctx, http.MethodGet, "/version", "read the version", &service); err != nil {
		return t, nil, err
	}
	p := &workload.Population{}
	status, err := h.ask(ctx, http.MethodGet, "/v1/dataset?symbols=true", "read the dataset", p)
	if status == http.StatusNotFound {
		err = workload.ErrNoDataset
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

// permits returns an error if the workload has own transactions, or the token lacks a required scope. It changes no
// document: for a workload that writes, it leases one id; for one that replaces documents, it tries to replace a
// customer that cannot exist. A service checks scopes first, so 404 means that the token has the scope.
func (h *HTTP) permits(ctx context.Context, d *workload.Definition) error {
	err := d.Fits("")
	if err == nil && d.Writes() {
		_, err = h.lease(ctx, "order", 1)
	}
	if err == nil && d.Replaces() {
		var status int
		status, _, err = h.fetch(ctx, http.MethodPut, "/v1/customers/0")
		if err == nil && status != http.StatusNotFound {
			err = refused(status, "replace documents (scope admin)")
		}
	}
	return err
}

func (h *HTTP) lease(ctx context.Context, kind string, count int64) (tpox.Range, error) {
	var v struct {
		XMLName xml.Name `xml:"urn:brokerage:service Lease"`
		First   int64    `xml:"first,attr"`
		Count   int64    `xml:"count,attr"`
	}
	path := fmt.Sprintf("/v1/dataset/leases?kind=%s&count=%d", kind, count)
	_, err := h.ask(ctx, http.MethodPost, path, "write (scope trade)", &v)
	if err == nil && (v.Count < 1 || v.Count > count || v.First < 1 || v.First > tpox.LastLease(v.Count)) {
		err = fmt.Errorf("%s leased %d ids from %d on, but %d were requested: not a brokerage service", format.URL(h.base),
			v.Count, v.First, count)
	}
	return tpox.Range{First: tpox.ID(v.First), Count: v.Count}, err
}

func (h *HTTP) account(ctx context.Context, id tpox.ID) ([]byte, error) {
	status, body, err := h.fetch(ctx, http.MethodGet, "/v1/accounts/"+id.String())
	if err == nil && status != http.StatusOK {
		err = refused(status, "read an account (scope read)")
	}
	return body, err
}

// reading returns the service's metrics. There are no figures if the service serves none at its address.
func (h *HTTP) reading(ctx context.Context) (reading, error) {
	status, text, err := h.fetch(ctx, http.MethodGet, "/metrics")
	if status != http.StatusOK {
		text = nil
	}
	return readMetrics(text), err
}

// readMetrics reads the metrics without labels from Prometheus's text format: those of the process and of the store.
func readMetrics(text []byte) reading {
	metrics, store := make(probe.Figures), make(probe.Figures)
	for line := range bytes.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		v, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || strings.Contains(name, "{"):
		case strings.HasPrefix(name, "brokerage_store_"):
			store[name] = v
		default:
			metrics[name] = v
		}
	}
	memory, ok := metrics["process_resident_memory_bytes"]
	if !ok {
		return reading{store: store, missing: []string{"it serves no process metrics at its address"}}
	}
	r := reading{store: store, process: probe.Figures{probe.Memory: memory}}
	for figure, metric := range telemetry.ProcessMetrics {
		if v, ok := metrics[metric.Name]; ok {
			r.process[figure] = v
		} else {
			r.missing = append(r.missing, figure+" is not among its metrics")
		}
	}
	return r
}
