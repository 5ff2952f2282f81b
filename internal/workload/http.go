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

// HTTP is a service.
type HTTP struct {
	base     *url.URL
	token    string
	client   *http.Client // for what is asked beside the workload
	security *tls.Config  // of all connections by https
}

// ServiceURL reads the URL of a service, without the slash at its end.
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

// NewHTTP makes a backend of the service at a URL. Token may be empty; security,
// which may be nil, is for https.
func NewHTTP(base, token string, security *tls.Config) (*HTTP, error) {
	u, err := ServiceURL(base)
	switch {
	case err != nil:
		return nil, err
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token holds what no header can carry")
	}
	if security == nil {
		security = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: security}
	return &HTTP{base: u, token: token, client: &http.Client{Timeout: answerWithin, Transport: transport}, security: security}, nil
}

func (h *HTTP) address() string {
	port := h.base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[h.base.Scheme]
	}
	return net.JoinHostPort(h.base.Hostname(), port)
}

// Refused says that a service does not let a client do something.
type Refused struct {
	What   string
	Status int
}

func (e *Refused) Error() string {
	switch e.Status {
	case http.StatusUnauthorized:
		return "the service does not accept the token (401): --token or BROKERAGE_TOKEN names one that brokerage token made"
	case http.StatusForbidden:
		return fmt.Sprintf("the token may not %s (403): it needs another scope", e.What)
	default:
		return fmt.Sprintf("the service answered %d when asked to %s", e.Status, e.What)
	}
}

// ask does one request beside the workload, and reads an answer into v.
func (h *HTTP) ask(ctx context.Context, method, path, what string, v any) error {
	body, err := h.fetch(ctx, method, path, what)
	if err != nil {
		return err
	}
	if err := xml.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: what answers is not a brokerage service: %w", redact.URL(h.base.String()), err)
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
	t := Target{Kind: "http", URL: redact.URL(h.base.String()), SameHost: isLocal(h.base.Hostname())}
	var v struct {
		XMLName xml.Name `xml:"urn:brokerage:service Version"`
		Version string   `xml:"version,attr"`
	}
	if err := h.ask(ctx, http.MethodGet, "/version", "say its version", &v); err != nil {
		return t, nil, err
	}
	t.Version = v.Version
	var holding struct {
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
	switch err := h.ask(ctx, http.MethodGet, "/v1/dataset", "say what it stores in", &holding); {
	case isRefused(err, http.StatusNotFound):
		return t, nil, nil // nothing is loaded, as will be told
	case err != nil:
		return t, nil, err
	}
	is := holding.Store
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

// isLocal tells whether a host is this computer.
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
	if refusal, ok := errors.AsType[*Refused](err); ok && refusal.Status == http.StatusNotFound {
		return nil, ErrNoDataset
	}
	return p, err
}

// permits leases one id, and replaces a customer who cannot exist: who may not
// is refused before the service looks who it is.
func (h *HTTP) permits(ctx context.Context, d *Definition) error {
	if d.writes() {
		if _, err := h.fetch(ctx, http.MethodPost, "/v1/dataset/leases?kind=order&count=1", "write (scope trade)"); err != nil {
			return err
		}
	}
	if !d.has(updCustacc, updSecurity) {
		return nil
	}
	_, err := h.fetch(ctx, http.MethodPut, "/v1/customers/0", "replace documents (scope admin)")
	if refusal, ok := errors.AsType[*Refused](err); ok && refusal.Status == http.StatusNotFound {
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
	err := h.ask(ctx, http.MethodPost, fmt.Sprintf("/v1/dataset/leases?kind=%s&count=%d", kind, count), "lease ids (scope trade)", &v)
	return brokerage.Range{First: brokerage.ID(v.First), Count: v.Count}, err
}

// reading scrapes the service's metrics. They may be elsewhere, and then nothing
// is known.
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

// open dials. A user has one connection, as a database's client would: what is
// written is one request, and what is read its answer.
func (h *HTTP) open(ctx context.Context, check checker, sectors []string) (session, error) {
	s := &httpSession{backend: h, checker: check, input: bufio.NewReaderSize(nil, 32<<10)}
	s.base = h.base.EscapedPath()
	s.headers = " HTTP/1.1\r\nHost: " + h.base.Host + "\r\n"
	if h.token != "" {
		s.headers += "Authorization: Bearer " + h.token + "\r\n"
	}
	for _, sector := range sectors {
		s.sectors = append(s.sectors, url.QueryEscape(sector))
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

// readMetrics takes the figures out of Prometheus's text: those without labels,
// which are the process's and the store's.
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
			p.cpu, r.process = v, &p
		case n == "process_resident_memory_bytes":
			p.memory = int64(v)
		case strings.HasPrefix(n, "brokerage_"), strings.HasPrefix(n, "process_network_"),
			n == "go_goroutines", n == "go_gc_duration_seconds_count", n == "go_memstats_heap_alloc_bytes", n == "go_memstats_alloc_bytes_total":
			r.figures[n] = v
		}
	}
	return r
}
