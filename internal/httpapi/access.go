package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// sandboxed and notSniffed are headers of every answer; pages replace sandboxed with a policy of their own. A stored
// document may hold a script, which a browser must not run with the rights of the service's origin.
var (
	sandboxed  = []string{"sandbox; default-src 'none'"}
	notSniffed = []string{"nosniff"}
)

// crossOrigin recognises requests that a browser sends for a page of another origin.
var crossOrigin = http.NewCrossOriginProtection()

// checkOrigin refuses what a page of another site sends through a browser: a write for a page of another origin, and a
// request for a host name that the service does not have. A page sends the latter if its own host name was made to
// point at this address (DNS rebinding).
func (q *request) checkOrigin() error {
	probe := q.op == getHealth || q.op == getReadiness || q.op == getMetrics // which may have any header Host, or none
	if hosts := q.server.options.Hosts; hosts != nil && !probe && !isHost(hosts, q.Request.Host) {
		return &refused{kind: kindMisdirected, detail: fmt.Sprintf(
			"the service does not answer for the host %.100q; the operator can add a name by --host, or accept any by --tokens "+
				"or --jwt-issuer", q.Request.Host)}
	}
	if err := crossOrigin.Check(q.Request); err != nil {
		return &refused{kind: kindCrossOrigin, detail: "a page of another origin cannot write", cause: err}
	}
	return nil
}

// isHost reports whether a header Host names localhost, a loopback address or one of the hosts. An unspecified
// address among the hosts stands for every address.
func isHost(hosts []string, header string) bool {
	host := header
	if name, _, err := net.SplitHostPort(header); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	address, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(hosts, func(h string) bool {
		listed, notAddress := netip.ParseAddr(h)
		same := notAddress == nil && err == nil && (listed.IsUnspecified() || listed.Unmap() == address.Unmap())
		return same || strings.EqualFold(h, host) && h != ""
	})
}

// admit identifies the client by its token, if the service has tokens. It refuses a client without the operation's
// scope, and one that has used up its quota.
func (q *request) admit(ctx context.Context) error {
	var denied error
	sender := addressOf(q.Request)
	if authority := q.server.options.Tokens; authority != nil {
		header := q.Request.Header["Authorization"]
		switch len(header) {
		case 0:
			return errNoToken
		case 1:
		default:
			return errToken
		}
		client, ok := authority.Client(ctx, header[0])
		if !ok {
			return cmp.Or(ctx.Err(), error(errToken)) // if ctx has ended, the token may not have been checked
		}
		q.client, sender = client, client.Name
		if !client.May(q.op.scope) {
			denied = &refused{kind: kindForbidden, detail: "the token does not have the scope " + string(q.op.scope)}
		}
	}
	// A request that is refused with 403 uses quota too, because the audit log records it if it is a write.
	if err := q.server.quota.take(sender, q.server.now()); err != nil {
		return err
	}
	if denied != nil {
		q.auditing.wanted = q.audits()
	}
	return denied
}

// clientName returns the name of the client's token, or "" without one.
func (q *request) clientName() string {
	if q.client == nil {
		return ""
	}
	return q.client.Name
}

// addressOf returns the address of the connection's other end. It ignores headers that claim another address: any
// client could set them.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
