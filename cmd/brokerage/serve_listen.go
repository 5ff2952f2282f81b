package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// localOnly refuses an address that other machines could reach.
func localOnly(addr *net.TCPAddr) error {
	if addr.IP.IsLoopback() {
		return nil
	}
	return usagef("--listen: %s can be reached from other machines, and there are no --tokens: --insecure-no-auth opens it to all of them", addr)
}

// resolve finds the address to listen on, so that what is checked is what is used.
func resolve(flag, addr string) (*net.TCPAddr, error) {
	if !strings.Contains(addr, ":") {
		if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
			return nil, usagef("%s: %q is not an address: 127.0.0.1:%[3]s is this machine only, :%[3]s all of its addresses", flag, addr, addr)
		}
		return nil, usagef("%s: %q is not an address, which has a port: %[3]s:8080", flag, addr, addr)
	}
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, usagef("%s: %w", flag, err)
	}
	return tcp, nil
}

// listeners are where the service is reached.
type listeners struct {
	main    net.Listener
	metrics net.Listener // nil: on main
	debug   net.Listener // nil: nowhere
}

func (c *serveCmd) listen(ctx context.Context, closed bool) (l listeners, err error) {
	addr, err := resolve("--listen", c.Listen)
	if err != nil {
		return l, err
	}
	if !closed && !c.InsecureNoAuth {
		if err := localOnly(addr); err != nil {
			return l, err
		}
	}
	if l.main, err = listenOn(ctx, "--listen", addr); err != nil {
		return l, err
	}
	if l.metrics, err = listenBeside(ctx, "--metrics-addr", c.MetricsAddr, anybody); err == nil {
		l.debug, err = listenBeside(ctx, "--debug-addr", c.DebugAddr, thisMachine)
	}
	if err != nil {
		l.close()
	}
	return l, err
}

// listenBeside listens on an address of its own, if one is set and may be used.
func listenBeside(ctx context.Context, flag, text string, may func(*net.TCPAddr) error) (net.Listener, error) {
	if text == "" {
		return nil, nil
	}
	addr, err := resolve(flag, text)
	if err == nil {
		err = may(addr)
	}
	if err != nil {
		return nil, err
	}
	return listenOn(ctx, flag, addr)
}

func anybody(*net.TCPAddr) error { return nil }

// thisMachine refuses what others could reach, tokens or not: a profile shows
// what is in memory, and takes processor time from everybody.
func thisMachine(addr *net.TCPAddr) error {
	if addr.IP.IsLoopback() {
		return nil
	}
	return usagef("--debug-addr: %s can be reached from other machines; profiles are for this one, such as 127.0.0.1:6060", addr)
}

func listenOn(ctx context.Context, flag string, addr *net.TCPAddr) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return l, nil
}

// close gives the addresses back; a server that was started has done so.
func (l listeners) close() {
	for _, listener := range []net.Listener{l.main, l.metrics, l.debug} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}
