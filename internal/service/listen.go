package service

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// resolve resolves the address of a flag once, so that the address that is checked is also the one that is used.
func resolve(flag, addr string) (*net.TCPAddr, error) {
	if !strings.Contains(addr, ":") {
		if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
			return nil, configErrorf(
				"%s: %q is not an address: 127.0.0.1:%[3]s is this machine only, :%[3]s all of its addresses",
				flag, addr, addr)
		}
		return nil, configErrorf("%s: %q is not an address, which has a port: %[3]s:8080", flag, addr, addr)
	}
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, configErrorf("%s: %w", flag, err)
	}
	return tcp, nil
}

// listeners are the addresses of a service.
type listeners struct {
	main    net.Listener
	metrics net.Listener // nil: served on main
	debug   net.Listener // nil: not served
}

func (s *service) listen(ctx context.Context) (l listeners, err error) {
	noOthers := ""
	if s.credentials == nil && !s.InsecureNoAuth {
		noOthers = ", and there are no --tokens: --insecure-no-auth opens it to all of them"
	}
	if l.main, err = listenOn(ctx, "--listen", s.Listen, noOthers); err != nil {
		return l, err
	}
	if s.MetricsAddr != "" {
		l.metrics, err = listenOn(ctx, "--metrics-addr", s.MetricsAddr, "")
	}
	if err == nil && s.DebugAddr != "" {
		// Even with tokens: a profile shows what is in memory, and takes processor time from all requests.
		l.debug, err = listenOn(ctx, "--debug-addr", s.DebugAddr, "; profiles are for this one, such as 127.0.0.1:6060")
	}
	if err != nil {
		l.close()
	}
	return l, err
}

// hosts returns the names and addresses that the header Host may name, beside those of this machine.
func (s *service) hosts() []string {
	name, _, _ := net.SplitHostPort(s.Listen)
	own, _, _ := net.SplitHostPort(s.listeners.main.Addr().String())
	return append([]string{name, own}, s.Host...)
}

// listenOn listens on the address of a flag. Unless noOthers is empty, it refuses an address that other machines could
// reach, for that reason.
func listenOn(ctx context.Context, flag, text, noOthers string) (net.Listener, error) {
	addr, err := resolve(flag, text)
	if err != nil {
		return nil, err
	}
	if noOthers != "" && !addr.IP.IsLoopback() {
		return nil, configErrorf("%s: %s can be reached from other machines%s", flag, addr, noOthers)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
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
