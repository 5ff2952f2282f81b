//go:build !linux

package drda

import "net"

// quickAck does nothing: it only improves the speed, and only on Linux.
type quickAck struct{ net.Conn }
