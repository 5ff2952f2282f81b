package service

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"brokerage/internal/access"
)

// certificate is the TLS configuration of a service, read from files. It is replaced as a whole when one of them
// changes; open connections keep the one that they began with.
type certificate struct {
	cert, key, clientCA string
	files               *access.Files
	current             atomic.Pointer[tls.Config]
}

// readCertificate reads the files; nil for a service without TLS.
func (s *service) readCertificate(context.Context) (*certificate, error) {
	if s.TLSCert == "" {
		return nil, nil //nolint:nilnil // without TLS
	}
	f := &certificate{cert: s.TLSCert, key: s.TLSKey, clientCA: s.TLSClientCA}
	paths := []string{f.cert, f.key}
	if f.clientCA != "" {
		paths = append(paths, f.clientCA)
	}
	f.files = access.Look(paths...)
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	config := &tls.Config{
		MinVersion:   tls.VersionTLS13,
		NextProtos:   []string{"h2", "http/1.1"},
		Certificates: []tls.Certificate{pair},
	}
	if f.clientCA != "" {
		if config.ClientCAs, err = ReadAuthorities("--tls-client-ca", f.clientCA); err != nil {
			return err
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	f.current.Store(config)
	return nil
}

// watch rereads the files when they change. While a new certificate has no matching key yet, the old pair is used.
func (f *certificate) watch(ctx context.Context, every time.Duration, log *slog.Logger, read func(error)) {
	f.files.Watch(ctx, every, func() {
		err := f.read()
		read(err)
		if err != nil {
			log.Error("certificate not reloaded, the old one stays in use", "file", f.cert, "error", err)
			return
		}
		f.report(log, "certificate reloaded")
	})
}

// expiry returns when the certificate in use expires.
func (f *certificate) expiry() time.Time { return f.current.Load().Certificates[0].Leaf.NotAfter }

func (f *certificate) report(log *slog.Logger, message string) {
	expires := f.expiry()
	log.Info(message, "file", f.cert, "expires", expires.UTC().Format(time.RFC3339), "clients", f.clientCA != "")
	if time.Now().After(expires) {
		log.Warn("the certificate has expired", "file", f.cert)
	}
}

// ReadAuthorities reads the certificates (PEM) of a file that a flag names.
func ReadAuthorities(flag, file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New(flag + ": there is no certificate in " + file)
	}
	return pool, nil
}
