//go:build db2

package db2test_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/chaostest"
	"brokerage/internal/store/db2"
	"brokerage/internal/store/db2/db2test"
	"brokerage/internal/tpox"
)

// Tests of what IBM's client library makes of a connection string and of the environment that driverenv sets.

// A COMMIT whose outcome is unknown to the client library is neither reported as rolled back nor retried.
func TestClient_LostCommit(t *testing.T) {
	b := onBench(t)
	s := open(t, b.URL(), db2.Options{Pool: 1})
	w, symbol := tpox.Write{Now: time.Now()}, few().Symbol(3)
	update := func(price string) error {
		_, err := s.UpdateSecurityPrice(t.Context(), w, symbol, tpox.Price{LastTrade: price})
		return err
	}
	require.NoError(t, update("7.5"))
	b.CutCommit()
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, update("8.5"), &unavailable)
	require.True(t, unavailable.Unknown)
	doc, err := s.GetSecurity(t.Context(), symbol)
	require.NoError(t, err)
	require.Contains(t, string(doc), ">7.5<")
}

// A transaction whose connection breaks fails, even before its first change: when the next statement is prepared, the
// client library does not continue the transaction on another connection, without its locks.
func TestClient_LostLock(t *testing.T) {
	b := onBench(t)
	db, err := sql.Open("go_ibm_db", b.DSN())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	transaction, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { _ = transaction.Rollback() }() // the connection is lost
	_, err = transaction.ExecContext(t.Context(), "LOCK TABLE loads IN EXCLUSIVE MODE")
	require.NoError(t, err)
	b.Cut()
	_, err = transaction.ExecContext(t.Context(), "DELETE FROM settings WHERE name = 'none'")
	require.ErrorContains(t, err, "SQL30081N")
}

// The client library ends a request's statement after its timeout.
func TestClient_StatementTimeout(t *testing.T) {
	b := onBench(t)
	link := chaostest.NewProxy(t, "tcp", b.Address())
	s := open(t, b.URLAt(link.Addr().String())+"?statement_timeout=1s", db2.Options{Pool: 1})
	request := func() error { _, err := s.GetSecurity(t.Context(), few().Symbol(3)); return err }
	require.NoError(t, request())
	link.Set(chaostest.Fault{Delay: time.Second})
	defer link.Set(chaostest.Fault{})
	require.Error(t, request())
}

// requireValid requires that the client library's own tool connects with a connection string and keywords, and
// reports the keywords with their values.
func requireValid(t testing.TB, text string, keywords ...string) {
	t.Helper()
	kit, err := db2test.Fetched()
	require.NoError(t, err)
	tool := filepath.Join(kit.CLIDriver, "bin", "db2cli")
	text = strings.Join(append([]string{text}, keywords...), ";")
	out, err := exec.CommandContext(t.Context(), tool, "validate", "-connstring", text).CombinedOutput()
	require.NoError(t, err, string(out))
	_, result, _ := strings.Cut(string(out), "Connection attempt")
	require.Contains(t, result, "[SUCCESS]")
	for _, keyword := range keywords {
		name, value, _ := strings.Cut(keyword, "=")
		require.Contains(t, result, ";"+strings.ToUpper(name)+"="+value+";")
	}
}

// The client library understands the keywords that the settings of a URL become.
func TestClient_Keywords(t *testing.T) {
	b := onBench(t)
	requireValid(t, b.DSN(), "ClientApplName=brokerage", "QueryTimeout=30", "CurrentSchema=TPOX")
	requireValid(t, b.DSN(), "QueryTimeout=0", "ClientUserID=b", "ClientAcctStr=c", "ConnectTimeout=30", "BlockLobs=1",
		"Interrupt=2", "ReceiveTimeout=90", "TLSVersion=TLSV13")
	// The stand-in accepts only a plain-text password.
	_, err := db2.Open(t.Context(), b.URL()+"?Authentication=SERVER_ENCRYPT", db2.Options{})
	require.Equal(t, -30082, codeOf(err), "%v", err)
}

func codeOf(err error) int {
	if found, is := errors.AsType[*db2.ServerError](err); is {
		return found.Code
	}
	return 0
}

// The server's certificate must name the host of the URL.
func TestClient_TLS(t *testing.T) {
	b := onBench(t)
	for name, c := range map[string]struct {
		template x509.Certificate
		settings string
		code     int
	}{
		"Named":     {x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, "", 0},
		"OtherName": {x509.Certificate{DNSNames: []string{"other.example"}}, "", -20576},
		"Off":       {x509.Certificate{DNSNames: []string{"other.example"}}, "&SSLClientHostnameValidation=OFF", 0},
	} {
		t.Run(name, func(t *testing.T) {
			address, authority := encrypted(t, b.Address(), c.template)
			url := b.URLAt(address) + "?tls=true&tls_ca=" + authority + c.settings
			s, err := db2.Open(t.Context(), url, db2.Options{})
			require.Equal(t, c.code, codeOf(err), "%v", err)
			if err == nil {
				require.NoError(t, s.Close())
			}
		})
	}
}

// encrypted listens for TLS with a self-signed certificate, in front of a server.
func encrypted(t testing.TB, server string, template x509.Certificate) (address, certificate string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber, template.Subject = big.NewInt(1), pkix.Name{CommonName: "server"}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)
	certificate = filepath.Join(t.TempDir(), "certificate.pem")
	require.NoError(t, os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(t, client, server)
		}
	}()
	return listener.Addr().String(), certificate
}

// forward connects a client to a server until one of them ends.
func forward(t testing.TB, client net.Conn, server string) {
	defer func() { _ = client.Close() }() // it may be closed already
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(conn, client) // how it ended does not matter
		_ = conn.Close()             // likewise
	}()
	_, _ = io.Copy(client, conn) // likewise
}
