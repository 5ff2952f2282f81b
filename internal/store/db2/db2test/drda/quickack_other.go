//go:build !linux

package drda

import "net"

// quickAck is about speed, and only Linux has it.
type quickAck struct{ net.Conn }
