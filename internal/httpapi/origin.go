package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// sandboxed and notSniffed are headers of every answer but the pages, which have a policy of their own: a stored
// document may hold a script, which a browser must not run with the rights of the service's origin.
var (
	sandboxed  = []string{"sandbox; default-src 'none'"}
	notSniffed = []string{"nosniff"}
)

// crossOrigin recognises requests that a browser sends for a page of another origin.
var crossOrigin = http.NewCrossOriginProtection()

// checkOrigin refuses what a page of another site sends through a browser: a request for a host name that the service
// does not have, which is how a page reaches it whose own name was pointed at this address (DNS rebinding), and a write
// for a page of another origin.
func (q *request) checkOrigin() error {
	// What watches the service asks by any name, or by none.
	watched := q.op == getHealth || q.op == getReadiness || q.op == getMetrics
	if hosts := q.server.options.Hosts; hosts != nil && !watched && !serves(hosts, q.Request.Host) {
		return &refused{kind: kindMisdirected, detail: fmt.Sprintf(
			"the service does not answer for the host %.100q; --host adds a name, and with --tokens any name is accepted",
			q.Request.Host)}
	}
	if err := crossOrigin.Check(q.Request); err != nil {
		return &refused{kind: kindCrossOrigin, detail: "a page of another origin cannot write", cause: err}
	}
	return nil
}

// serves reports whether a header Host names this machine or one of the hosts. An unspecified address among the hosts
// stands for every address.
func serves(hosts []string, header string) bool {
	host := header
	if name, _, err := net.SplitHostPort(header); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	address, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback() {
		return true
	}
	for _, h := range hosts {
		own, notAddress := netip.ParseAddr(h)
		same := notAddress == nil && err == nil && (own.IsUnspecified() || own.Unmap() == address.Unmap())
		if same || strings.EqualFold(h, host) && h != "" {
			return true
		}
	}
	return false
}
