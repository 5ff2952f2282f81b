package service

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// addresses are those that a service listens on, resolved once, so that the address that is checked is also the one
// that is used.
type addresses struct {
	main    *net.TCPAddr
	metrics *net.TCPAddr // nil: served on main
	debug   *net.TCPAddr // nil: not served
}

func (s *service) resolveAddresses(context.Context) (a addresses, err error) {
	noOthers := ""
	if s.credentials == nil && !s.InsecureNoAuth {
		noOthers = "; set --tokens or --jwt-issuer, or --insecure-no-auth to accept all clients"
	}
	a.main, err = resolve("--listen", s.Listen, noOthers)
	if err == nil && s.MetricsAddr != "" {
		a.metrics, err = resolve("--metrics-addr", s.MetricsAddr, "")
	}
	if err == nil && s.DebugAddr != "" {
		// Loopback only, even with tokens: a profile shows what is in memory, and takes processor time from all requests.
		a.debug, err = resolve("--debug-addr", s.DebugAddr, "; use a loopback address, such as 127.0.0.1:6060")
	}
	return a, err
}

// resolve resolves the address of a flag. Unless noOthers is empty, an address that other machines could reach is an
// error, whose text ends in noOthers.
func resolve(flag, text, noOthers string) (*net.TCPAddr, error) {
	if !strings.Contains(text, ":") {
		if _, err := strconv.ParseUint(text, 10, 16); err == nil {
			return nil, configErrorf(
				"%s: %q is not an address: use 127.0.0.1:%[2]s or, if other machines may connect, :%[2]s", flag, text)
		}
		return nil, configErrorf("%s: %q has no port: use for example %[2]s:8080", flag, text)
	}
	addr, err := net.ResolveTCPAddr("tcp", text)
	if err != nil {
		return nil, configErrorf("%s: %w", flag, err)
	}
	if noOthers != "" && !addr.IP.IsLoopback() {
		return nil, configErrorf("%s: %s can be reached from other machines%s", flag, addr, noOthers)
	}
	return addr, nil
}

// listeners are the open addresses of a service.
type listeners struct {
	main    net.Listener
	metrics net.Listener // nil: served on main
	debug   net.Listener // nil: not served
}

// listen opens the addresses. No later step of the start can fail, so a client that is accepted is answered.
func (a addresses) listen(ctx context.Context) (l listeners, err error) {
	for _, each := range []struct {
		flag string
		addr *net.TCPAddr
		to   *net.Listener
	}{{"--listen", a.main, &l.main}, {"--metrics-addr", a.metrics, &l.metrics}, {"--debug-addr", a.debug, &l.debug}} {
		if each.addr == nil {
			continue
		}
		if *each.to, err = new(net.ListenConfig).Listen(ctx, "tcp", each.addr.String()); err != nil {
			l.close()
			return listeners{}, fmt.Errorf("%s: %w", each.flag, err)
		}
	}
	return l, nil
}

// close closes the listeners; those of a server that was started are closed already.
func (l listeners) close() {
	for _, listener := range []net.Listener{l.main, l.metrics, l.debug} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}
