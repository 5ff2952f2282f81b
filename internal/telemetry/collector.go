package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"brokerage/internal/redact"
)

// endpointVariables are OpenTelemetry's variables for the URL of a collector.
var endpointVariables = [...]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// exporterVariable returns the value and the name of a variable of the exporter. One for traces takes precedence.
func exporterVariable(setting string) (value, name string) {
	name = "OTEL_EXPORTER_OTLP_TRACES_" + setting
	if value = strings.TrimSpace(os.Getenv(name)); value == "" {
		name = "OTEL_EXPORTER_OTLP_" + setting
		value = strings.TrimSpace(os.Getenv(name))
	}
	return value, name
}

// An otlpClient sends spans to OpenTelemetry's collector, in protobuf over HTTP: it is an otlptrace.Client. The client
// of OpenTelemetry itself, otlptracehttp, would bring gRPC into the program (decision 0032).
type otlpClient struct {
	http       http.Client
	url        string
	header     http.Header
	compressed bool
	backoff    time.Duration // before the second attempt
}

// With OpenTelemetry's client, a batch is sent for a minute at most, and a single attempt takes ten seconds at most.
const (
	attemptTimeout = 10 * time.Second
	batchTimeout   = time.Minute
	firstBackoff   = 5 * time.Second
	lastBackoff    = 30 * time.Second
)

// newOTLPClient returns a client of the collector at the endpoint, or, when that is empty, of the one that
// OpenTelemetry's variables name. They also set headers, compression, timeout and certificates. No error has a secret.
func newOTLPClient(endpoint, agent string) (*otlpClient, error) {
	target, err := collectorURL(endpoint)
	if err != nil {
		return nil, err
	}
	c := &otlpClient{url: target.String(), backoff: firstBackoff}
	compression, _ := exporterVariable("COMPRESSION")
	c.compressed = compression == "gzip"
	if c.header, err = collectorHeader(); err != nil {
		return nil, err
	}
	c.header.Set("Content-Type", "application/x-protobuf")
	c.header.Set("User-Agent", agent)
	if c.compressed {
		c.header.Set("Content-Encoding", "gzip")
	}
	c.http.Timeout = attemptTimeout
	if value, name := exporterVariable("TIMEOUT"); value != "" {
		milliseconds, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a number of milliseconds", name, value)
		}
		c.http.Timeout = time.Duration(milliseconds) * time.Millisecond
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig, err = collectorTLS()
	c.http.Transport = transport
	return c, err
}

// collectorURL returns the URL that spans are sent to. A variable for traces holds all of it, the other the beginning.
func collectorURL(endpoint string) (*url.URL, error) {
	name, path := "", "v1/traces"
	if endpoint == "" {
		if endpoint, name = exporterVariable("ENDPOINT"); name == endpointVariables[1] {
			path = "/"
		}
		name += ": "
	}
	u, err := redact.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s%q is not the URL of a collector, such as http://127.0.0.1:4318",
			name, redact.URL(endpoint))
	}
	if path != "/" || u.Path == "" {
		u = u.JoinPath(path)
	}
	return u, nil
}

// collectorHeader returns the headers that the variables set, as "name=value,name=value" with escaped values.
func collectorHeader() (http.Header, error) {
	header := http.Header{}
	list, name := exporterVariable("HEADERS")
	for pair := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		switch {
		case strings.TrimSpace(pair) == "":
		case !ok || key == "" || err != nil:
			return nil, fmt.Errorf("%s: an entry is not name=value, with the value escaped as in a URL", name)
		default:
			header.Set(key, value)
		}
	}
	return header, nil
}

// collectorTLS returns the settings of TLS: the authority that the collector's certificate is checked against, if it is
// not one of the system's, and the certificate of the service.
func collectorTLS() (*tls.Config, error) {
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if file, name := exporterVariable("CERTIFICATE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: %s holds no certificate in PEM", name, file)
		}
	}
	if file, name := exporterVariable("CLIENT_CERTIFICATE"); file != "" {
		key, _ := exporterVariable("CLIENT_KEY")
		pair, err := tls.LoadX509KeyPair(file, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	return settings, nil
}

// Start implements otlptrace.Client. Connections are opened when there is something to send.
func (c *otlpClient) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *otlpClient) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces sends a batch. It repeats what a collector refuses for now, or does not answer in time, until ctx ends.
func (c *otlpClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// A request is an ExportTraceServiceRequest, whose package imports gRPC too; in protobuf, TracesData is the same.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	if c.compressed {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	for backoff := c.backoff; ; backoff = min(backoff*3/2, lastBackoff) {
		err := c.send(ctx, body)
		var refused *refusedForNow
		if !errors.As(err, &refused) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(backoff, refused.retryAfter)):
		}
	}
}

// refusedForNow is the error of an attempt that can succeed later.
type refusedForNow struct {
	error

	retryAfter time.Duration // that the collector asks for
}

// Unwrap returns the error of the attempt.
func (e *refusedForNow) Unwrap() error { return e.error }

// send sends a batch once.
func (c *otlpClient) send(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = c.header.Clone()
	response, err := c.http.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) && failed.Timeout() {
		return &refusedForNow{error: err}
	}
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // only read
	answer, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil {
		return err
	}
	switch code := response.StatusCode; {
	case code == http.StatusTooManyRequests || code == http.StatusBadGateway ||
		code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout:
		seconds, _ := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16) // a date is as good as nothing
		return &refusedForNow{fmt.Errorf("the collector answers %s", response.Status), time.Duration(seconds) * time.Second}
	case code < 200 || code > 299:
		return fmt.Errorf("the collector answers %s: %.200q", response.Status, answer)
	case len(answer) > len("\n\x00") && response.Header.Get("Content-Type") == "application/x-protobuf":
		return fmt.Errorf("the collector rejects some spans: %.200q", answer) // longer than an empty partial_success
	}
	return nil
}
