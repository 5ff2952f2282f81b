// Package audit writes the audit log: who changed what, one line of JSON for each write that a client requests, without
// the contents of documents.
//
// A line is written after the write and before its answer. So it is there when the client has the answer, and survives
// the death of the process; it is not flushed, so that a loss of power can lose the last lines, but not the writes.
//
// When a line cannot be written, for example because the disk is full, it is kept in memory, and Ready refuses further
// writes until all kept lines are written. If the process dies meanwhile, only the lines of the writes that ran when
// the fault began are lost.
//
// A client can cause any number of refusals without writing anything, for example by faulty requests. So only a few
// refusals of each client are recorded a minute, and none while less than a tenth of the file system is free. The
// others are counted: a record with "left_out" holds their number.
package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"brokerage/internal/output"
)

// Record is a line of the log. It describes one write, or reports missing or torn lines.
type Record struct {
	Time        time.Time         `json:"time"`
	Client      string            `json:"client,omitempty"` // of the token; empty without one
	Address     string            `json:"address"`
	Transaction string            `json:"transaction"`
	IDs         map[string]string `json:"ids,omitempty"` // in the path, and of what was created or leased
	Outcome     string            `json:"outcome"`
	Status      int               `json:"status"`
	RequestID   string            `json:"request_id"`
	Key         string            `json:"idempotency_key,omitempty"` // the same key is the same write
	Lost        int64             `json:"lost,omitempty"`            // number of lost records, if the record reports them
	LeftOut     int64             `json:"left_out,omitempty"`        // refusals of the client that have no record
}

const (
	refusalsPerMinute = 10 // that are recorded, of each client
	maxRefused        = 1000
	// statusGone is recorded when the client did not wait for the response. It is no refusal: the write may be done.
	statusGone = 499
	// maxKept bounds the records that wait to be written: those of the writes that ran when a fault began.
	maxKept = 100_000
)

// A Log is an audit log. It is safe for concurrent use.
type Log struct {
	file    output.File // zero: the writer is never replaced
	options Options

	mu   sync.Mutex
	out  io.WriteCloser
	kept [][]byte // lines that could not be written yet
	torn bool     // the output may end in part of a line

	lost, lostRecorded int64 // records not kept; how many of them the log reports

	refused     map[string]*refusals // by client, since minuteBegan
	minuteBegan time.Time
}

// refusals counts the refusals of a client. Beyond maxRefused clients, further ones share an entry without a name.
type refusals struct {
	recorded int
	leftOut  Record
}

// Options are the options of a log.
type Options struct {
	// Fault is called with the error when a fault begins, and again when the fault loses its first record. At its end
	// Fault is called with Lost if records were lost, and then with nil.
	Fault  func(error)
	Inputs []string // files that the log must not be written to: see output.File
	// Room returns the free bytes and the size of the log's file system, if they are known. It may be nil.
	Room func() (free, size float64, known bool)
}

// To returns a log on a writer that is never replaced, such as the standard output.
func To(out io.Writer, o Options) *Log {
	return &Log{out: keptOpen{out}, options: o, refused: make(map[string]*refusals)}
}

type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Open opens the log in a file, which it creates for its owner alone if needed. An unfinished last line, which a
// full disk has torn, is ended and marked. When the file is moved away, to be archived, the log begins a new one, with
// the next record or with Reopen.
func Open(path string, o Options) (*Log, error) {
	l := &Log{
		file:    output.File{Path: path, Kind: output.AuditLog, Inputs: o.Inputs},
		options: o, refused: make(map[string]*refusals),
	}
	if err := l.reopen(); err != nil {
		return nil, err
	}
	if l.torn {
		_ = l.mark() // the first record tries it again
	}
	return l, nil
}

// Reopen closes the file, and opens the one that now has its name, as logrotate expects after it has renamed a file.
// After an error the log keeps the file that it has.
func (l *Log) Reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file.Path == "" {
		return nil
	}
	return l.reopen()
}

// Ready returns an error if a write could not be recorded now, because earlier records are not written yet.
func (l *Log) Ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == 0 {
		return nil
	}
	err := l.flush()
	if err == nil {
		l.options.Fault(nil)
	}
	return err
}

// Record writes a record, or keeps it until it can be written; when maxKept records wait, it is lost. Some refusals are
// only counted.
func (l *Log) Record(r Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	writable := len(l.kept) == 0
	if writable && r.Time.Sub(l.minuteBegan) >= time.Minute && l.hasRoom() {
		l.recordLeftOut(r.Time)
		if err := l.flush(); err != nil {
			writable = false
			l.options.Fault(err)
		}
	}
	if r.Status >= http.StatusBadRequest && r.Status < statusGone {
		client := cmp.Or(r.Client, r.Address)
		if l.refused[client] == nil && len(l.refused) >= maxRefused {
			client, r.Client, r.Address = "", "", ""
		}
		c := l.refused[client]
		if c == nil {
			c = new(refusals)
			l.refused[client] = c
		}
		if c.recorded >= refusalsPerMinute || !writable || !l.hasRoom() {
			c.leftOut = Record{
				Client: r.Client, Address: r.Address, Outcome: "left-out", Status: r.Status, LeftOut: c.leftOut.LeftOut + 1,
			}
			return
		}
		c.recorded++
	}
	if len(l.kept) >= maxKept {
		if err := l.flush(); err != nil {
			if l.lost == l.lostRecorded {
				l.options.Fault(fmt.Errorf("%w; %d records wait, and further ones are lost", err, len(l.kept)))
			}
			l.lost++
			return
		}
	}
	l.kept = append(l.kept, lineOf(r))
	if err := l.flush(); err != nil && writable {
		l.options.Fault(err)
	} else if err == nil && !writable {
		l.options.Fault(nil)
	}
}

// hasRoom reports whether more than a tenth of the file system is free, or the room is unknown.
func (l *Log) hasRoom() bool {
	if l.options.Room == nil {
		return true
	}
	free, size, known := l.options.Room()
	return !known || free > size/10
}

// recordLeftOut records how many refusals of each client were left out, and begins a new minute.
func (l *Log) recordLeftOut(now time.Time) {
	for _, c := range l.refused {
		if c.leftOut.LeftOut > 0 {
			c.leftOut.Time = now
			l.kept = append(l.kept, lineOf(c.leftOut))
		}
	}
	clear(l.refused)
	l.minuteBegan = now
}

func lineOf(r Record) []byte {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return append(line, '\n')
}

// Lost is the error that Options.Fault gets at the end of a fault: the number of records that were lost.
type Lost int64

func (n Lost) Error() string { return fmt.Sprintf("%d records were lost", int64(n)) }

// Backlog returns how many records wait to be written, and how many were lost since the log was opened.
func (l *Log) Backlog() (kept int, lost int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept), l.lost
}

// flush writes the kept records in order, and then the number of lost ones.
func (l *Log) flush() error {
	if file, ok := l.out.(*os.File); ok && l.file.Path != "" {
		open, err := file.Stat()
		named, missing := os.Stat(l.file.Path)
		if err != nil || missing != nil || !os.SameFile(open, named) { // it was moved away
			if err := l.reopen(); err != nil {
				return err
			}
		}
	}
	if l.torn {
		if err := l.mark(); err != nil {
			return err
		}
	}
	for len(l.kept) > 0 || l.lost > l.lostRecorded {
		if len(l.kept) == 0 {
			missing := l.lost - l.lostRecorded
			l.kept = append(l.kept, lineOf(Record{Time: time.Now().UTC(), Outcome: "lost", Lost: missing}))
			l.lostRecorded = l.lost
			l.options.Fault(Lost(missing))
		}
		if n, err := l.out.Write(l.kept[0]); err != nil {
			l.torn = n > 0
			return fmt.Errorf("write the audit log: %w", err)
		}
		l.kept = l.kept[1:]
	}
	return nil
}

// mark ends a line that is torn, and records that in the next line.
func (l *Log) mark() error {
	line := append([]byte{'\n'}, lineOf(Record{Time: time.Now().UTC(), Outcome: "torn"})...)
	if _, err := l.out.Write(line); err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	l.torn = false
	return nil
}

// reopen opens the file, and closes the old one.
func (l *Log) reopen() error {
	out, torn, err := l.file.Append()
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	if l.out != nil {
		_ = l.out.Close() // each line was written at once
	}
	l.out, l.torn = out, torn
	return nil
}

// Close closes the log. It returns an error if records could not be written.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recordLeftOut(time.Now().UTC())
	err := l.flush()
	if err != nil {
		err = fmt.Errorf("%d records are lost: %w", int64(len(l.kept))+l.lost-l.lostRecorded, err)
	}
	return errors.Join(err, l.out.Close())
}
