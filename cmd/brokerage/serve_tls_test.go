package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority signs certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{}
	a.cert, a.key, a.pem = a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotAfter: time.Now().Add(time.Hour),
	})
	return a
}

// sign signs a certificate with the authority's key, or with the certificate's own key if the authority has none yet.
func (a *authority) sign(t testing.TB, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by = c, key
	}
	c.NotBefore = time.Now().Add(-time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), by)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// issue makes a certificate for this machine, with a serial number that identifies it. It is valid for an hour and as
// many seconds as that number.
func (a *authority) issue(t testing.TB, serial int64) (cert, key []byte) {
	t.Helper()
	_, secret, cert := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "service"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		NotAfter:    time.Now().Add(time.Hour + time.Duration(serial)*time.Second),
	})
	text, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	return cert, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// pool returns the authority as the only trusted one.
func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// mount lays files out as Kubernetes does: behind a link that is replaced as a whole. It returns the flags for them.
func mount(t testing.TB, dir string, files map[string][]byte) (flags []string) {
	t.Helper()
	version := fmt.Sprint("v", len(names(t, dir)))
	require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o700))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, version, name), text, 0o600))
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
		}
	}
	require.NoError(t, os.Symlink(version, filepath.Join(dir, "..new")))
	require.NoError(t, os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")))
	return []string{"--tls-cert", filepath.Join(dir, "tls.crt"), "--tls-key", filepath.Join(dir, "tls.key")}
}

// handshake connects and returns the serial number of the server's certificate.
func handshake(t testing.TB, i *instance, config *tls.Config) (int64, error) {
	t.Helper()
	conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", i.url[len("https://"):])
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }() // an error would change nothing
	tlsConn, _ := conn.(*tls.Conn)
	// With TLS 1.3, a client learns that it was refused only when it reads.
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")); err != nil {
		return 0, err
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		return 0, err
	}
	return tlsConn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
}

func TestServe_TLS(t *testing.T) {
	t.Parallel()
	ca, dir := newAuthority(t), t.TempDir()
	cert, key := ca.issue(t, 100)
	i := serving(t, "", append(mount(t, dir, map[string][]byte{"tls.crt": cert, "tls.key": key}), "--db", "null:")...)
	i.url = "https" + i.url[len("http"):]
	config := &tls.Config{RootCAs: ca.pool(), NextProtos: []string{"http/1.1"}}
	shows := func(want int64) {
		t.Helper()
		serial, err := handshake(t, i, config)
		require.NoError(t, err)
		require.Equal(t, want, serial)
	}
	shows(100)

	old := config.Clone()
	old.MaxVersion = tls.VersionTLS12
	_, err := handshake(t, i, old)
	require.ErrorContains(t, err, "protocol version")

	over := &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.pool()}, ForceAttemptHTTP2: true},
		Timeout:   patience,
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.url+"/readyz", http.NoBody)
	require.NoError(t, err)
	response, err := over.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, "HTTP/2.0", response.Proto)
	require.Equal(t, http.StatusOK, response.StatusCode)
	requireExpiry(t, over, i.url, cert)

	// A new certificate is used without a restart, and an invalid one is not.
	cert, key = ca.issue(t, 200)
	mount(t, dir, map[string][]byte{"tls.crt": cert, "tls.key": key})
	i.logs.wait(t, "certificate reloaded")
	shows(200)
	requireExpiry(t, over, i.url, cert)

	_, otherKey := ca.issue(t, 300)
	mount(t, dir, map[string][]byte{"tls.crt": cert, "tls.key": otherKey})
	require.Contains(t, i.logs.wait(t, "certificate not reloaded, the old one stays in use")["error"],
		"private key does not match")
	require.Contains(t, sendBy(t, over, http.MethodGet, i.url+"/metrics", "", "").body,
		`brokerage_reload_failed{what="certificate"} 1`)
	shows(200)
	over.CloseIdleConnections()
	i.stop(t)
	require.NotContains(t, i.logs.String(), "PRIVATE")
}

// requireExpiry requires that the metrics of a service have the time at which a certificate (PEM) expires.
func requireExpiry(t testing.TB, over *http.Client, url string, cert []byte) {
	t.Helper()
	block, _ := pem.Decode(cert)
	parsed, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	require.Contains(t, sendBy(t, over, http.MethodGet, url+"/metrics", "", "").body,
		"\nbrokerage_tls_certificate_expiry_timestamp_seconds "+
			strconv.FormatFloat(float64(parsed.NotAfter.Unix()), 'g', -1, 64)+"\n")
}

// mutual starts a service without a database. Its certificate, and those that it requires of clients, are signed by
// the authority. renew rewrites the files, to require client certificates of another authority.
func (a *authority) mutual(
	t testing.TB, begin func(args ...string) *instance,
) (i *instance, renew func(clients *authority)) {
	t.Helper()
	dir := t.TempDir()
	cert, key := a.issue(t, 100)
	var flags []string
	renew = func(clients *authority) {
		flags = mount(t, dir, map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": clients.pem})
	}
	renew(a)
	i = begin(append(flags, "--db", "null:", "--tls-client-ca", filepath.Join(dir, "ca.crt"))...)
	i.url = "https" + i.url[len("http"):]
	return i, renew
}

// Probes need no client certificate if the metrics have an address of their own.
func TestServe_TLSClientsProbes(t *testing.T) {
	metrics := freeAddress(t)
	i, _ := newAuthority(t).mutual(t, func(args ...string) *instance {
		return serving(t, "", append(args, "--metrics-addr", metrics)...)
	})
	require.Equal(t, http.StatusOK, get(t, "http://"+metrics+"/readyz").status)
	t.Setenv("BROKERAGE_TLS_CERT", "tls.crt")
	t.Setenv("BROKERAGE_LISTEN", strings.TrimPrefix(i.url, "https://"))
	require.Equal(t, exitFailed, brokerage(t.Context(), "health").code)
	t.Setenv("BROKERAGE_METRICS_ADDR", metrics)
	succeeds(t, "health")
	i.stop(t)
}

func TestServe_TLSClients(t *testing.T) {
	t.Parallel()
	ca, stranger := newAuthority(t), newAuthority(t)
	i, renew := ca.mutual(t, func(args ...string) *instance { return serving(t, "", args...) })
	with := func(by *authority) *tls.Config {
		config := &tls.Config{RootCAs: ca.pool()}
		if by != nil {
			pair, err := tls.X509KeyPair(by.issue(t, 7))
			require.NoError(t, err)
			// The certificate is sent whatever the server requests.
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		return config
	}
	_, err := handshake(t, i, with(ca))
	require.NoError(t, err)
	_, err = handshake(t, i, with(nil))
	require.ErrorContains(t, err, "certificate required")
	_, err = handshake(t, i, with(stranger))
	require.ErrorContains(t, err, "unknown certificate authority")

	// When the file changes, another authority is accepted, and the first no longer.
	renew(stranger)
	i.logs.wait(t, "certificate reloaded")
	_, err = handshake(t, i, with(stranger))
	require.NoError(t, err)
	_, err = handshake(t, i, with(ca))
	require.Error(t, err)
	i.stop(t)
}
