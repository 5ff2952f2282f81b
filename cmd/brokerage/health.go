package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"time"

	"brokerage/internal/drive"
	"brokerage/internal/format"
)

// healthCmd is for container images without an HTTP client.
//
//nolint:lll // a help text is one string
type healthCmd struct {
	URL       string `placeholder:"URL" help:"URL of the service, or of its /healthz or /readyz; /healthz is checked if the URL names neither. Default: this machine, with the port from BROKERAGE_METRICS_ADDR, or else port and scheme from BROKERAGE_LISTEN and BROKERAGE_TLS_CERT."`
	clientTLS `set:"trusted=none; the certificate is not checked"`

	Timeout time.Duration `default:"2s" placeholder:"TIME" range:"1ms..1h" help:"How long to wait for the response. Default: 2s."`
}

// Run sends one request. The response 200 is success, everything else a failure.
func (c *healthCmd) Run(ctx context.Context, s streams) error {
	asked := c.URL
	if asked == "" {
		if metrics := os.Getenv("BROKERAGE_METRICS_ADDR"); metrics != "" {
			asked = healthOf(metrics, false) // this address requires no client certificate
		} else {
			asked = healthOf(os.Getenv("BROKERAGE_LISTEN"), os.Getenv("BROKERAGE_TLS_CERT") != "")
		}
	} else {
		u, err := drive.ServiceURL(asked)
		if err != nil {
			return usagef("--url: %w", err)
		}
		if last := path.Base(u.Path); last != "readyz" && last != "healthz" {
			u.Path += "/healthz"
		}
		asked = u.String()
	}
	security, err := c.clientTLS.config()
	if err != nil {
		return err
	}
	// The certificate names the service and not this machine, so it is not checked unless an authority is given.
	security.InsecureSkipVerify = c.TLSCA == "" //nolint:gosec // the request holds no secret
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, asked, http.NoBody)
	if err != nil {
		return err
	}
	// No proxy, and no connection that is kept open.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: security}}
	response, err := client.Do(request)
	if err != nil {
		return format.Error(err)
	}
	defer func() { _ = response.Body.Close() }() // only its status is used
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", format.URL(asked), response.Status)
	}
	_, err = io.WriteString(s.out, format.URL(asked)+": "+response.Status+"\n")
	return err
}

// healthOf returns the URL of /healthz on this machine for a service with these settings.
func healthOf(listen string, secure bool) string {
	host, port, err := net.SplitHostPort(cmp.Or(listen, "127.0.0.1:8080"))
	if err != nil {
		host, port = listen, "8080" // the service refuses it too; the error names the address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if secure {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: "/healthz"}).String()
}
