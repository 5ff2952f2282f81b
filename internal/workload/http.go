package workload

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/brokerage"
	"brokerage/internal/redact"
)

// HTTP is a Backend that calls a service.
type HTTP struct {
	base     *url.URL
	token    string
	client   *http.Client // for requests beside the workload
	security *tls.Config  // of all https connections
}

// ServiceURL parses the URL of a service and removes the slash at its end.
func ServiceURL(base string) (*url.URL, error) {
	u, err := redact.Parse(base)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("not the URL of a service, such as http://127.0.0.1:8080")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL of a service has no user, no parameters and no fragment")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u, nil
}

// NewHTTP returns a backend for the service at a URL. The token may be empty. The TLS configuration is for https URLs;
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
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: security}
	client := &http.Client{Timeout: answerWithin, Transport: transport}
	return &HTTP{base: u, token: token, client: client, security: security}, nil
}

func (h *HTTP) address() string {
	port := h.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[h.base.Scheme]
	}
	return net.JoinHostPort(h.base.Hostname(), port)
}

// Refused is the error for a request that a service refused.
type Refused struct {
	What   string
	Status int
}

func (e *Refused) Error() string {
	switch e.Status {
	case http.StatusUnauthorized:
		return "the service does not accept the token (401): set --token or BROKERAGE_TOKEN to one made by brokerage token"
	case http.StatusForbidden:
		return fmt.Sprintf("the token may not %s (403): it needs another scope", e.What)
	default:
		return fmt.Sprintf("the service answered %d when asked to %s", e.Status, e.What)
	}
}

// ask sends a request beside the workload and unmarshals the response into v.
func (h *HTTP) ask(ctx context.Context, method, path, what string, v any) error {
	body, err := h.fetch(ctx, method, path, what)
	if err != nil {
		return err
	}
	if err := xml.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: not a brokerage service: %w", redact.URL(h.base.String()), err)
	}
	return nil
}

func (h *HTTP) fetch(ctx context.Context, method, path, what string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, h.base.String()+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	if h.token != "" {
		request.Header.Set("Authorization", "Bearer "+h.token)
	}
	response, err := h.client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // it would repeat the URL
		}
		return nil, fmt.Errorf("the service at %s does not answer: %w", redact.URL(h.base.String()), err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, &Refused{What: what, Status: response.StatusCode}
	}
	return io.ReadAll(response.Body)
}

func (h *HTTP) stamp(ctx context.Context) (Target, map[string]string, error) {
	t := Target{Kind: httpTarget, URL: redact.URL(h.base.String()), SameHost: isLocal(h.base.Hostname())}
	var v struct {
		XMLName xml.Name `xml:"urn:brokerage:service Version"`
		Version string   `xml:"version,attr"`
	}
	if err := h.ask(ctx, http.MethodGet, "/version", "say its version", &v); err != nil {
		return t, nil, err
	}
	t.Version = v.Version
	var dataset struct {
		Store struct {
			Engine     string `xml:"engine,attr"`
			Version    string `xml:"version,attr"`
			Durability string `xml:"durability,attr"`
			Settings   []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"Setting"`
		} `xml:"Store"`
	}
	switch err := h.ask(ctx, http.MethodGet, "/v1/dataset", "describe its store", &dataset); {
	case isRefused(err, http.StatusNotFound):
		return t, nil, nil // nothing is loaded, which population reports
	case err != nil:
		return t, nil, err
	}
	is := dataset.Store
	t.Engine = is.Engine
	settings := map[string]string{"durability": is.Durability, "version": is.Version}
	for _, setting := range is.Settings {
		settings[setting.Name] = setting.Value
	}
	return t, settings, nil
}

func isRefused(err error, status int) bool {
	refused, ok := errors.AsType[*Refused](err)
	return ok && refused.Status == status
}

// isLocal reports whether a host is this computer.
func isLocal(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	if ip.IsLoopback() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true
		}
	}
	return false
}

func (h *HTTP) population(ctx context.Context) (*population, error) {
	p := &population{}
	err := h.ask(ctx, http.MethodGet, "/v1/dataset?symbols=true", "read the dataset", p)
	if isRefused(err, http.StatusNotFound) {
		return nil, ErrNoDataset
	}
	return p, err
}

// permits leases one id, and replaces a customer that cannot exist: a service checks the scopes of a token first.
func (h *HTTP) permits(ctx context.Context, d *Definition) error {
	if d.writes() {
		path := "/v1/dataset/leases?kind=order&count=1"
		if _, err := h.fetch(ctx, http.MethodPost, path, "write (scope trade)"); err != nil {
			return err
		}
	}
	if !d.has(func(t *transaction) bool { return t.replaces }) {
		return nil
	}
	_, err := h.fetch(ctx, http.MethodPut, "/v1/customers/0", "replace documents (scope admin)")
	if isRefused(err, http.StatusNotFound) {
		return nil
	}
	return err
}

func (h *HTTP) lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	var v struct {
		XMLName xml.Name `xml:"urn:brokerage:service Lease"`
		First   int64    `xml:"first,attr"`
		Count   int64    `xml:"count,attr"`
	}
	path := fmt.Sprintf("/v1/dataset/leases?kind=%s&count=%d", kind, count)
	err := h.ask(ctx, http.MethodPost, path, "lease ids (scope trade)", &v)
	return brokerage.Range{First: brokerage.ID(v.First), Count: v.Count}, err
}

// reading reads the service's metrics. It is empty when they are served elsewhere.
func (h *HTTP) reading(ctx context.Context) (reading, error) {
	text, err := h.fetch(ctx, http.MethodGet, "/metrics", "read its metrics")
	if is[*Refused](err) {
		return reading{}, nil
	}
	if err != nil {
		return reading{}, err
	}
	return readMetrics(text), nil
}

// open connects a user: each has one connection, as a client of a database has.
func (h *HTTP) open(ctx context.Context, check checker) (session, error) {
	s := &httpSession{backend: h, checker: check, input: bufio.NewReaderSize(nil, 32<<10)}
	s.base = h.base.EscapedPath()
	s.headers = " HTTP/1.1\r\nHost: " + h.base.Host + "\r\n"
	if h.token != "" {
		s.headers += "Authorization: Bearer " + h.token + "\r\n"
	}
	if err := s.dial(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *httpSession) dial(ctx context.Context) error {
	s.close()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", s.backend.address())
	if err != nil {
		return fmt.Errorf("the service at %s does not answer: %w", s.backend.base.Redacted(), err)
	}
	if s.backend.base.Scheme == "https" {
		config := s.backend.security.Clone()
		config.ServerName = s.backend.base.Hostname()
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return fmt.Errorf("the service at %s: %w", s.backend.base.Redacted(), err)
		}
		conn = secure
	}
	s.conn = conn
	s.dialed, s.renewed = time.Now(), time.Time{}
	s.input.Reset(conn)
	s.cancelled = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	return nil
}

// readMetrics reads the metrics without labels from Prometheus's text format: those of the process and of the store.
func readMetrics(text []byte) (r reading) {
	r.figures = make(map[string]float64)
	var p processReading
	for line := range bytes.Lines(text) {
		name, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if !ok || name[0] == '#' || bytes.IndexByte(name, '{') >= 0 {
			continue
		}
		v, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			continue
		}
		switch n := string(name); {
		case n == "process_cpu_seconds_total":
			p.cpuSeconds, r.process = v, &p
		case n == "process_resident_memory_bytes":
			p.memoryBytes = int64(v)
		case strings.HasPrefix(n, "brokerage_"), strings.HasPrefix(n, "process_network_"), n == "go_goroutines",
			n == "go_gc_duration_seconds_count",
			n == "go_memstats_heap_alloc_bytes", n == "go_memstats_alloc_bytes_total":
			r.figures[n] = v
		}
	}
	return r
}
