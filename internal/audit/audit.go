// Package audit writes the audit log: who changed what, one line of JSON for each write that a client requests, without
// the contents of documents.
//
// A line is written after the write and before its answer. So it is there when the client has the answer, and survives
// the death of the process; it is not flushed, so that a loss of power can lose the last lines, but not the writes.
//
// When a line cannot be written, for example because the disk is full, it is kept in memory, and Ready refuses further
// writes until all kept lines are written. If the process dies meanwhile, only the lines of the writes that ran when
// the fault began are lost. Refusals with 403 are recorded too, and a client may cause any number of them: during a
// fault a thousand are kept, and the others are counted, in the log itself as soon as it can be written.
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

// Record describes one write.
type Record struct {
	Time        time.Time         `json:"time"`
	Client      string            `json:"client,omitempty"` // of the token; empty where there are no tokens
	Address     string            `json:"address"`
	Transaction string            `json:"transaction"`
	IDs         map[string]string `json:"ids,omitempty"` // in the path, and of what was created
	Outcome     string            `json:"outcome"`
	Status      int               `json:"status"`
	RequestID   string            `json:"request_id"`
	Key         string            `json:"idempotency_key,omitempty"` // the same key is the same write
	Lost        int64             `json:"lost,omitempty"`            // records missing, in a record of a loss
}

// Limits of the records that are kept while none can be written: refusals, and all. A client may cause any number of
// refusals; of writes, only those that run when the fault begins are kept, which are far fewer.
const (
	maxKeptRefusals = 1000
	maxKept         = 100_000
)

// A Log is an audit log. It is safe for concurrent use.
type Log struct {
	open      func() (io.WriteCloser, error) // nil: the writer is never replaced
	isCurrent func(io.Writer) bool           // reports whether the file still has its name

	mu   sync.Mutex
	out  io.WriteCloser
	kept [][]byte // lines that could not be written yet
	torn bool     // the output may end in part of a line

	onFault func(error)

	lost, lostBefore int64 // records that were not kept; those of them in faults that have ended
}

// To returns a log on a writer that is never replaced, such as the standard output. onFault is called with the error
// when a fault begins and when it loses its first record; when it ends, with Lost if records were lost, and then with
// nil.
func To(out io.Writer, onFault func(error)) *Log {
	return &Log{out: keptOpen{out}, onFault: onFault}
}

type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// Open opens the log in a file, which it creates for its owner alone if needed. When the file is moved away, to be
// archived, the log begins a new one. onFault is that of To.
func Open(path string, onFault func(error)) (*Log, error) {
	l := &Log{onFault: onFault}
	l.open = func() (io.WriteCloser, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	l.isCurrent = func(w io.Writer) bool {
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
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	return l, nil
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
		l.onFault(nil)
	}
	return err
}

// Record writes a record, or keeps it until it can be written.
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
				l.onFault(fmt.Errorf("%w; %d records wait, and further ones are only counted", err, len(l.kept)))
			}
			l.lost++
			return
		}
	}
	l.kept = append(l.kept, line)
	if err := l.flush(); err != nil && first {
		l.onFault(err)
	} else if err == nil && !first {
		l.onFault(nil)
	}
}

func lineOf(r Record) []byte {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return append(line, '\n')
}

// Lost is the error at the end of a fault that lost records: their number.
type Lost int64

func (n Lost) Error() string { return fmt.Sprintf("%d records were lost", int64(n)) }

// Backlog returns the number of records that wait to be written, and of those lost since the log was opened.
func (l *Log) Backlog() (kept int, lost int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.kept), l.lost
}

// flush writes the kept records in order, and then the number of lost ones.
func (l *Log) flush() error {
	if err := l.write(); err != nil {
		return err
	}
	if missing := l.lost - l.lostBefore; missing > 0 {
		l.kept = append(l.kept, lineOf(Record{Time: time.Now().UTC(), Outcome: "lost", Lost: missing}))
		l.lostBefore = l.lost
		l.onFault(Lost(missing))
		return l.write()
	}
	return nil
}

// write writes the kept records.
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
			return fmt.Errorf("write the audit log: %w", err)
		}
		l.torn, l.kept = false, l.kept[1:]
	}
	return nil
}

// reopen opens a new file if the old one no longer has its name.
func (l *Log) reopen() error {
	if l.open == nil || l.isCurrent(l.out) {
		return nil
	}
	out, err := l.open()
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	_ = l.out.Close() // each line was written at once
	l.out, l.torn = out, false
	return nil
}

// Close closes the log. It returns an error if records could not be written.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.flush()
	if err != nil {
		err = fmt.Errorf("%d records are lost: %w", int64(len(l.kept))+l.lost-l.lostBefore, err)
	}
	return errors.Join(err, l.out.Close())
}
