// Package audit writes down who changed what: one line of JSON for each write that a client asked for, never what a
// document holds.
//
// A line is written after the write and before its answer, so that it is there when the client knows, and after the
// death of the process; it is not flushed, so that the last lines can be lost with the power, which the writes are not.
// When a line cannot be written, the disk being full for example, it is kept in memory and Ready refuses further writes
// until all that is kept has been written: what is lost if the process dies in between is what was under way when the
// fault began, and no more. Requests that are refused by 403 are records too, of which there may be any number
// meanwhile: a thousand are kept, and the rest are counted, in the log itself as soon as it can be written.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// Record is one write.
type Record struct {
	Time        time.Time         `json:"time"`
	Client      string            `json:"client,omitempty"` // as its token names it; empty where the service is open to all
	Address     string            `json:"address"`
	Transaction string            `json:"transaction"`
	IDs         map[string]string `json:"ids,omitempty"` // what the path names, and what was made
	Outcome     string            `json:"outcome"`
	Status      int               `json:"status"`
	RequestID   string            `json:"request_id"`
	Key         string            `json:"idempotency_key,omitempty"` // the same again is the same write
	Lost        int64             `json:"lost,omitempty"`            // records that are missing before this one, which is about nothing else
}

// How many records are kept while none can be written. Refusals are kept in smaller numbers, since a client may cause
// any number of them; of writes only those that are under way when the fault begins are kept, which are far fewer.
const (
	maxKeptRefusals = 1000
	maxKept         = 100_000
)

// Log is an audit log. It is safe for concurrent use.
type Log struct {
	open func() (io.WriteCloser, error) // nil: there is one writer for ever
	same func(io.Writer) bool           // is it still the file that has the name?

	mu   sync.Mutex
	out  io.WriteCloser
	kept [][]byte // lines that could not be written yet
	torn bool     // the last thing written may be half a line
	told func(error)

	lost, lostBefore int64 // records that were not kept; of these, in faults that have ended
}

// To is a log on a writer that stays, such as the standard output. Told is called with a fault when it begins, when the
// first record is lost in it, and with nil when it ends, before that with Lost if records are lost.
func To(out io.Writer, told func(error)) *Log {
	return &Log{out: keptOpen{out}, told: told}
}

type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Open opens the log in a file, which is made if it is not there, for its owner alone. When the file is moved away, to
// be archived, a new one is begun.
func Open(path string, told func(error)) (*Log, error) {
	l := &Log{told: told}
	l.open = func() (io.WriteCloser, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	l.same = func(w io.Writer) bool {
		file, ok := w.(*os.File)
		if !ok {
			return false
		}
		ours, err := file.Stat()
		if err != nil {
			return false
		}
		named, err := os.Stat(path)
		return err == nil && os.SameFile(ours, named)
	}
	var err error
	if l.out, err = l.open(); err != nil {
		return nil, fmt.Errorf("the audit log: %w", err)
	}
	return l, nil
}

// Ready tells whether a write may be done: whether what is known of the ones before has been written down.
func (l *Log) Ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == 0 {
		return nil
	}
	err := l.flush()
	if err == nil {
		l.told(nil)
	}
	return err
}

// Record writes a record down, or keeps it until that can be done.
func (l *Log) Record(r Record) {
	line := lineOf(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	first := len(l.kept) == 0
	most := maxKept
	if r.Status == http.StatusForbidden {
		most = maxKeptRefusals
	}
	if len(l.kept) >= most {
		if err := l.flush(); err != nil {
			if l.lost == l.lostBefore {
				l.told(fmt.Errorf("%w; %d records wait, and further ones are no longer kept, only counted", err, len(l.kept)))
			}
			l.lost++
			return
		}
	}
	l.kept = append(l.kept, line)
	if err := l.flush(); err != nil && first {
		l.told(err)
	} else if err == nil && !first {
		l.told(nil)
	}
}

func lineOf(r Record) []byte {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err) // it is texts and numbers
	}
	return append(line, '\n')
}

// Lost is what a log tells at the end of a fault in which it lost records: how many.
type Lost int64

func (n Lost) Error() string { return fmt.Sprintf("%d records were lost", int64(n)) }

// Backlog returns how many records wait to be written, and how many were lost since the log was opened.
func (l *Log) Backlog() (kept int, lost int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept), l.lost
}

// flush writes what is kept, in order, and then how many records are missing.
func (l *Log) flush() error {
	if err := l.write(); err != nil {
		return err
	}
	if missing := l.lost - l.lostBefore; missing > 0 {
		l.kept, l.lostBefore = append(l.kept, lineOf(Record{Time: time.Now().UTC(), Outcome: "lost", Lost: missing})), l.lost
		l.told(Lost(missing))
		return l.write()
	}
	return nil
}

// write writes what is kept.
func (l *Log) write() error {
	if err := l.reopen(); err != nil {
		return err
	}
	for len(l.kept) > 0 {
		line := l.kept[0]
		if l.torn {
			line = append([]byte{'\n'}, line...)
		}
		if n, err := l.out.Write(line); err != nil {
			l.torn = l.torn || n > 0
			return fmt.Errorf("the audit log: %w", err)
		}
		l.torn, l.kept = false, l.kept[1:]
	}
	return nil
}

// reopen begins a new file where the old one no longer has the name.
func (l *Log) reopen() error {
	if l.open == nil || l.same(l.out) {
		return nil
	}
	out, err := l.open()
	if err != nil {
		return fmt.Errorf("the audit log: %w", err)
	}
	_ = l.out.Close() // each line was written by itself
	l.out, l.torn = out, false
	return nil
}

// Close ends the log. It is an error if something could not be written until now.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.flush()
	if err != nil {
		err = fmt.Errorf("%d records are lost: %w", int64(len(l.kept))+l.lost-l.lostBefore, err)
	}
	return errors.Join(err, l.out.Close())
}
