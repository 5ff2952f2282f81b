package drda

import (
	"net"
	"syscall"
)

// quickAck acknowledges received data at once. Derby uses Nagle's algorithm, so
// each large object would otherwise take 40 ms.
type quickAck struct{ net.Conn }

func (q quickAck) Read(b []byte) (int, error) {
	n, err := q.Conn.Read(b)
	if tcp, ok := q.Conn.(*net.TCPConn); ok {
		if raw, e := tcp.SyscallConn(); e == nil {
			_ = raw.Control(func(fd uintptr) { // an error only costs time
				_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
			})
		}
	}
	return n, err
}
