package main

import (
	"crypto/tls"
	"fmt"

	"brokerage/internal/service"
)

// clientTLS are the flags of a command that is a client of a service. Its tag sets trusted, the default of --tls-ca.
//
//nolint:lll // a help text is one string
type clientTLS struct {
	TLSCA   string `name:"tls-ca" placeholder:"FILE" help:"CA certificates (PEM) to trust. Default: ${trusted}."`
	TLSCert string `name:"tls-client-cert" placeholder:"FILE" help:"Certificate (PEM) of this client, for a service with --tls-client-ca; requires --tls-client-key. Default: none."`
	TLSKey  string `name:"tls-client-key" placeholder:"FILE" help:"Private key (PEM) of the client's certificate; requires --tls-client-cert. Default: none."`
}

// config reads the files. Without any, Go's defaults apply: the authorities of the system, or those that SSL_CERT_FILE
// and SSL_CERT_DIR name.
func (f clientTLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.TLSCA != "" {
		pool, err := service.ReadAuthorities("--tls-ca", f.TLSCA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if (f.TLSCert == "") != (f.TLSKey == "") {
		return nil, usagef("--tls-client-cert and --tls-client-key go together")
	}
	if f.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("--tls-client-cert and --tls-client-key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
