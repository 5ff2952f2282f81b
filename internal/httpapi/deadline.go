package httpapi

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// net/http sets eight deadlines in each request, most of which no read ever waits for, and in each it begins a read
// that it ends with the answer (see halfclose.go). Both cost more than the answer of a small document takes. So a
// connection only notes a deadline, and begins the reads ahead of plain HTTP/1 late.

// patience is how long a request runs before the connection reads ahead, to see whether the client goes away.
const patience = 5 * time.Millisecond

// A readDeadline is the deadline of a connection's reads, and is set in the connection below when a read needs it. The
// one below is never later. If it passes first, the read is repeated.
type readDeadline struct {
	mu      sync.Mutex
	wanted  time.Time // zero for none
	below   time.Time // zero for none
	reading bool
	quiet   bool // a read ahead has begun, but does not read yet
	wake    chan struct{}
	timer   *time.Timer // for patience
}

// SetReadDeadline sets the deadline of reads, including one that is waiting.
func (c *joiningConn) SetReadDeadline(t time.Time) error {
	d := &c.deadline
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	switch {
	case d.reading:
		return d.lower(c.Conn)
	case d.quiet && d.passed():
		d.quiet = false
		d.wake <- struct{}{}
	}
	return nil
}

// SetWriteDeadline sets the deadline of writes.
func (c *joiningConn) SetWriteDeadline(t time.Time) error {
	if !c.writeDeadline.Swap(!t.IsZero()) && t.IsZero() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t) //nolint:wrapcheck // net/http inspects it
}

// SetDeadline sets the deadlines of reads and writes.
func (c *joiningConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (d *readDeadline) passed() bool { return !d.wanted.IsZero() && time.Until(d.wanted) <= 0 }

// lower sets the deadline of the connection below if it would pass too late.
func (d *readDeadline) lower(below net.Conn) error {
	if d.wanted.IsZero() || !d.below.IsZero() && !d.wanted.Before(d.below) {
		return nil
	}
	return d.enforce(below)
}

// enforce sets the deadline of the connection below.
func (d *readDeadline) enforce(below net.Conn) error {
	d.below = d.wanted
	return below.SetReadDeadline(d.wanted) //nolint:wrapcheck // net/http inspects it
}

// read calls do, which reads from the connection below, until the deadline.
func (d *readDeadline) read(below net.Conn, do func() (int, error)) (n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = true
	defer func() { d.reading = false }()
	if err := d.lower(below); err != nil {
		return 0, err
	}
	for {
		d.mu.Unlock()
		n, err = do()
		d.mu.Lock()
		if err == nil || n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || d.passed() {
			return n, err
		}
		if err := d.enforce(below); err != nil {
			return 0, err
		}
	}
}

// await waits for patience, and returns false if the deadline is set to a time that has passed, before or meanwhile.
func (d *readDeadline) await() bool {
	d.mu.Lock()
	if d.passed() {
		d.mu.Unlock()
		return false
	}
	if d.timer == nil {
		d.wake, d.timer = make(chan struct{}, 1), time.NewTimer(patience)
	} else {
		d.timer.Reset(patience)
	}
	d.quiet = true
	d.mu.Unlock()
	select {
	case <-d.wake:
		d.timer.Stop()
		return false
	case <-d.timer.C:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.quiet { // woken at the same time
		<-d.wake
		return false
	}
	d.quiet = false
	return true
}
