package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Logger returns a logger that writes lines for people, or JSON.
func Logger(w io.Writer, human bool, level slog.Leveler) *slog.Logger {
	if human {
		return slog.New(&humanHandler{out: w, level: level, mu: new(sync.Mutex)})
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
}

// humanHandler writes lines for people: the time of day, the level, the message in a column, then the attributes.
//
//	15:04:05 info   listening             addr=127.0.0.1:8080
type humanHandler struct {
	out    io.Writer
	level  slog.Leveler
	mu     *sync.Mutex // protects out, shared with the handlers of WithAttrs and WithGroup
	prefix string      // of the groups: "a.b."
	attrs  string      // formatted
}

const messageWidth = 20

// Stack is the name of the attribute that people get on lines of its own.
const Stack = "stack"

// Enabled implements slog.Handler.
func (h *humanHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

// WithGroup implements slog.Handler.
func (h *humanHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	with := *h
	with.prefix += name + "."
	return &with
}

// WithAttrs implements slog.Handler.
func (h *humanHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.attrs = string(appendAttrs([]byte(h.attrs), h.prefix, attrs))
	return &with
}

// Handle implements slog.Handler.
func (h *humanHandler) Handle(_ context.Context, r slog.Record) error {
	b := make([]byte, 0, 256)
	if !r.Time.IsZero() {
		b = r.Time.AppendFormat(b, time.TimeOnly)
		b = append(b, ' ')
	}
	b = fmt.Appendf(b, "%-6s ", strings.ToLower(r.Level.String()))
	message := len(b)
	b = append(b, plain(r.Message)...)
	attrs := len(b)
	b = append(b, h.attrs...)
	stack := ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == Stack {
			stack = a.Value.String()
		} else {
			b = appendAttrs(b, h.prefix, []slog.Attr{a})
		}
		return true
	})
	if pad := messageWidth - (attrs - message); pad > 0 && len(b) > attrs {
		b = slices.Insert(b, attrs, []byte(strings.Repeat(" ", pad))...)
	}
	b = append(b, '\n')
	for line := range strings.Lines(stack) {
		b = fmt.Appendf(b, "    %s\n", plain(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.out.Write(b)
	return err
}

// appendAttrs writes attributes by the rules of slog: groups become part of the names, empty ones are left out.
func appendAttrs(b []byte, prefix string, attrs []slog.Attr) []byte {
	for _, a := range attrs {
		value := a.Value.Resolve()
		if value.Kind() == slog.KindGroup {
			inner := prefix
			if a.Key != "" {
				inner += a.Key + "."
			}
			b = appendAttrs(b, inner, value.Group())
			continue
		}
		if a.Equal(slog.Attr{}) {
			continue
		}
		b = append(b, ' ')
		b = append(b, plain(prefix+a.Key)...)
		b = append(b, '=')
		b = append(b, plainValue(value)...)
	}
	return b
}

func plainValue(v slog.Value) string {
	switch v.Kind() {
	case slog.KindDuration:
		return shortDuration(v.Duration())
	case slog.KindTime:
		return v.Time().Format(time.RFC3339)
	default:
		text := v.String()
		if text == "" || strings.ContainsAny(text, ` "=`) {
			return strconv.Quote(text)
		}
		return plain(text)
	}
}

// plain quotes a text with unprintable characters: a client may have sent it, and it must neither control the terminal
// nor look like another line.
func plain(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	return strconv.Quote(text)
}

// shortDuration keeps three digits: 1.2345678s is 1.23s.
func shortDuration(d time.Duration) string {
	unit := time.Nanosecond
	for ; d/unit >= 1000; unit *= 10 {
	}
	return d.Round(unit).String()
}

// Sampler chooses which lines of a log are written: in each second the first ones up to a number, then one of every n,
// so that a busy service does not spend its time on its log. It is safe for concurrent use.
type Sampler struct {
	all, every int64

	mu      sync.Mutex
	second  int64
	seen    int64 // in that second
	leftOut int64 // since the last that was written
}

// NewSampler returns a Sampler that writes the first all lines of each second, and then one of every n.
func NewSampler(all, every int) *Sampler {
	return &Sampler{all: int64(all), every: int64(max(every, 1))}
}

// Take reports whether a line is written, and how many lines were left out before it. A line that matters is always
// written.
func (s *Sampler) Take(now time.Time, matters bool) (write bool, leftOut int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); second != s.second {
		s.second, s.seen = second, 0
	}
	s.seen++
	if beyond := s.seen - s.all; !matters && beyond > 0 && beyond%s.every != 0 {
		s.leftOut++
		return false, 0
	}
	leftOut, s.leftOut = s.leftOut, 0
	return true, leftOut
}
