package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"brokerage/internal/filewatch"
)

// tlsFiles are the files that TLS is made of. What they make is replaced as a
// whole when one of them changes; connections that are there keep what they began with.
type tlsFiles struct {
	cert, key, clientCA string
	files               *filewatch.Files
	current             atomic.Pointer[tls.Config]
	expires             time.Time // of the certificate; the one goroutine's that reads it
}

// tls reads the files, if there are to be any.
func (c *serveCmd) tls() (*tlsFiles, error) {
	if c.TLSCert == "" {
		return nil, nil //nolint:nilnil // without TLS
	}
	f := &tlsFiles{cert: c.TLSCert, key: c.TLSKey, clientCA: c.TLSClientCA}
	paths := []string{f.cert, f.key}
	if f.clientCA != "" {
		paths = append(paths, f.clientCA)
	}
	f.files = filewatch.Look(paths...)
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *tlsFiles) read() error {
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
		if config.ClientCAs, err = readAuthorities("--tls-client-ca", f.clientCA); err != nil {
			return err
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	f.current.Store(config)
	f.expires = pair.Leaf.NotAfter
	return nil
}

// config is for the server: each connection gets what there is when it comes.
func (f *tlsFiles) config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		NextProtos:         []string{"h2", "http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return f.current.Load(), nil },
	}
}

// watch reads the files again when they change. While a new certificate is there
// and its key is not yet, the old ones go on to count.
func (f *tlsFiles) watch(ctx context.Context, every time.Duration, log *slog.Logger) {
	f.files.Watch(ctx, every, func() {
		if err := f.read(); err != nil {
			log.Error("certificate not reloaded, the old one goes on to count", "file", f.cert, "error", err)
			return
		}
		f.tell(log, "certificate reloaded")
	})
}

func (f *tlsFiles) tell(log *slog.Logger, message string) {
	log.Info(message, "file", f.cert, "expires", f.expires.UTC().Format(time.RFC3339), "clients", f.clientCA != "")
	if time.Now().After(f.expires) {
		log.Warn("the certificate has expired", "file", f.cert)
	}
}
