package telemetry

import (
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"brokerage/internal/testenv"
)

// upload sends a span to the server, as it is set up by OpenTelemetry's variables.
func upload(t testing.TB, server *httptest.Server) error {
	t.Helper()
	c, err := newOTLPClient(server.URL, "agent/1")
	require.NoError(t, err)
	c.backoff = time.Millisecond
	return c.UploadTraces(t.Context(), []*tracepb.ResourceSpans{{
		ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{Name: "get_order"}}}},
	}})
}

func TestCollector_Request(t *testing.T) {
	for _, compression := range []string{"", "none", "gzip"} {
		t.Run(compression, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "of-all=1,")
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "X-Key = a%20b, x-other=2=3")
			var got *http.Request
			var sent tracepb.TracesData
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r
				body := io.Reader(r.Body)
				if r.Header.Get("Content-Encoding") == "gzip" {
					body, _ = gzip.NewReader(r.Body)
				}
				text, _ := io.ReadAll(body)
				_ = proto.Unmarshal(text, &sent)
			}))
			t.Cleanup(server.Close)
			require.NoError(t, upload(t, server))
			require.Equal(t, "/v1/traces", got.URL.Path)
			require.Equal(t, http.MethodPost, got.Method)
			require.Equal(t, "get_order", sent.ResourceSpans[0].ScopeSpans[0].Spans[0].Name)
			require.Equal(t, compression == "gzip", got.Header.Get("Content-Encoding") == "gzip")
			require.Equal(t, "application/x-protobuf", got.Header.Get("Content-Type"))
			require.Equal(t, "agent/1", got.Header.Get("User-Agent"))
			require.Equal(t, "a b", got.Header.Get("X-Key"))
			require.Equal(t, "2=3", got.Header.Get("X-Other"))
			require.Empty(t, got.Header.Get("Of-All"), "the variable for traces takes precedence")
		})
	}
}

// A batch that a collector refuses for now is sent again, any other once.
func TestCollector_Answers(t *testing.T) {
	for name, c := range map[string]struct {
		answers  []int
		body     string
		attempts int
		says     string
	}{
		"Accepted":   {[]int{200}, "", 1, ""},
		"Partial":    {[]int{200}, "\n\x00", 1, ""},
		"Rejected":   {[]int{200}, "\n\x08\x08\x01\x12\x04full", 1, "full"},
		"TooMany":    {[]int{429, 200}, "", 2, ""},
		"Gateway":    {[]int{502, 503, 504, 200}, "", 4, ""},
		"BadRequest": {[]int{400}, "no such path", 1, "400 Bad Request: \"no such path\""},
		"Internal":   {[]int{500}, "", 1, "500"},
		"ThenBad":    {[]int{503, 401}, "", 2, "401"},
	} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := int(attempts.Add(1))
				answer := c.answers[min(n, len(c.answers))-1]
				if body, _ := io.ReadAll(r.Body); len(body) == 0 {
					answer = http.StatusBadRequest // each attempt sends all of it
				}
				w.Header().Set("Content-Type", "application/x-protobuf")
				w.WriteHeader(answer)
				_, _ = io.WriteString(w, c.body)
			}))
			t.Cleanup(server.Close)
			err := upload(t, server)
			require.EqualValues(t, c.attempts, attempts.Load())
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

// A collector that takes too long is asked again, until the whole batch has taken too long.
func TestCollector_Timeout(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "20")
	done := make(chan struct{})
	var attempts atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if attempts.Add(1) < 3 {
			<-done
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	require.NoError(t, upload(t, server))
	require.GreaterOrEqual(t, attempts.Load(), int32(3))
}

// The authority of the variable is trusted, and the certificate of the service is shown.
func TestCollector_Certificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.TLS.PeerCertificates[0].Subject.Organization[0], http.StatusTeapot)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	require.ErrorContains(t, upload(t, server), "unknown authority")

	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	write := func(kind string, text []byte) string {
		return testenv.File(t, "x.pem", string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: text})))
	}
	certificate := write("CERTIFICATE", server.Certificate().Raw)
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", certificate)
	require.ErrorContains(t, upload(t, server), "certificate required")

	t.Setenv("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", certificate)
	t.Setenv("OTEL_EXPORTER_OTLP_CLIENT_KEY", write("PRIVATE KEY", key))
	require.ErrorContains(t, upload(t, server), server.Certificate().Subject.Organization[0])
}

func TestCollectorURL(t *testing.T) {
	for name, c := range map[string]struct{ setting, all, traces, url string }{
		"Setting":  {"http://a:1", "http://b:2", "http://c:3/x", "http://a:1/v1/traces"},
		"Base":     {"", "http://b:2/base/", "", "http://b:2/base/v1/traces"},
		"OfTraces": {"", "http://b:2", "https://c:3/x", "https://c:3/x"},
		"Root":     {"", "http://b:2", "https://c:3", "https://c:3/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.all)
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.traces)
			u, err := collectorURL(c.setting)
			require.NoError(t, err)
			require.Equal(t, c.url, u.String())
		})
	}
}

func TestNewCollector_Refusals(t *testing.T) {
	notPEM := testenv.File(t, "not.pem", "secret")
	for name, c := range map[string]struct{ variable, value, says string }{
		"NoScheme":      {"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "is not the URL of a collector"},
		"Header":        {"OTEL_EXPORTER_OTLP_HEADERS", "secret", "is not name=value"},
		"HeaderEscape":  {"OTEL_EXPORTER_OTLP_HEADERS", "a=secret%zz", "is not name=value"},
		"Timeout":       {"OTEL_EXPORTER_OTLP_TIMEOUT", "10s", `"10s" is not a number of milliseconds`},
		"NoAuthority":   {"OTEL_EXPORTER_OTLP_CERTIFICATE", notPEM + "x", "no such file"},
		"BadAuthority":  {"OTEL_EXPORTER_OTLP_CERTIFICATE", notPEM, "holds no certificate in PEM"},
		"NoCertificate": {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", notPEM + "x", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint := "http://127.0.0.1:1"
			if slices.Contains(endpointVariables[:], c.variable) {
				endpoint = ""
			}
			t.Setenv(c.variable, c.value)
			_, err := newOTLPClient(endpoint, "agent/1")
			require.ErrorContains(t, err, c.variable+": ")
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}
