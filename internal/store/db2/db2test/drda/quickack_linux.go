package drda

import (
	"net"
	"syscall"
)

// quickAck acknowledges at once what it reads. Derby leaves Nagle's algorithm on,
// so that each large object would take it 40 ms otherwise.
type quickAck struct{ net.Conn }

func (q quickAck) Read(b []byte) (int, error) {
	n, err := q.Conn.Read(b)
	if tcp, ok := q.Conn.(*net.TCPConn); ok {
		if raw, e := tcp.SyscallConn(); e == nil {
			_ = raw.Control(func(fd uintptr) { // it is only about speed
				_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
			})
		}
	}
	return n, err
}
