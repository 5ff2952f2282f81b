package telemetry_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/telemetry"
)

func record(level slog.Level, message string, attrs ...slog.Attr) slog.Record {
	r := slog.NewRecord(time.Date(2026, 11, 21, 15, 4, 5, 0, time.UTC), level, message, 0)
	r.AddAttrs(attrs...)
	return r
}

func TestLogger_Human(t *testing.T) {
	for name, c := range map[string]struct {
		record slog.Record
		line   string
	}{
		"Plain": {record(slog.LevelInfo, "listening"), "15:04:05 info   listening\n"},
		"Aligned": {record(slog.LevelInfo, "listening", slog.String("addr", "127.0.0.1:80")),
			"15:04:05 info   listening            addr=127.0.0.1:80\n"},
		"Long": {record(slog.LevelWarn, "a message that is longer", slog.Int("n", 1)),
			"15:04:05 warn   a message that is longer n=1\n"},
		"Error": {record(slog.LevelError, "x", slog.Any("error", errors.New("no room"))),
			"15:04:05 error  x                    error=\"no room\"\n"},
		"Duration": {record(slog.LevelDebug, "x", slog.Duration("took", 1234567*time.Nanosecond)),
			"15:04:05 debug  x                    took=1.23ms\n"},
		"Empty": {record(slog.LevelInfo, "x", slog.String("k", "")), "15:04:05 info   x                    k=\"\"\n"},
		"NewLine": {record(slog.LevelInfo, "x\ny", slog.String("k", "a\nb")),
			"15:04:05 info   \"x\\ny\"               k=\"a\\nb\"\n"},
		"Escape": {record(slog.LevelInfo, "x", slog.String("k", "\x1b[2J")),
			"15:04:05 info   x                    k=\"\\x1b[2J\"\n"},
		"Umlaut": {record(slog.LevelInfo, "x", slog.String("k", "Zürich")),
			"15:04:05 info   x                    k=Zürich\n"},
		"Stack": {record(slog.LevelError, "panic", slog.String("stack", "main.f()\n\tf.go:1\x1b\n"), slog.Int("n", 1)),
			"15:04:05 error  panic                n=1\n    main.f()\n    \"    f.go:1\\x1b\"\n"},
		"BetweenTo": {record(slog.LevelInfo+1, "x"), "15:04:05 info+1 x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, telemetry.Logger(&out, true, slog.LevelDebug).Handler().Handle(t.Context(), c.record))
			require.Equal(t, c.line, out.String())
		})
	}
}

func TestLogger_Level(t *testing.T) {
	for _, human := range []bool{false, true} {
		var out bytes.Buffer
		level := new(slog.LevelVar)
		level.Set(slog.LevelWarn)
		log := telemetry.Logger(&out, human, level)
		log.Info("quiet")
		require.Empty(t, out.String())
		log.Warn("loud")
		require.Contains(t, out.String(), "loud")
		level.Set(slog.LevelInfo)
		log.Info("quiet")
		require.Contains(t, out.String(), "quiet")
	}
}

// The handlers pass the test suite of log/slog.
func TestLogger_Rules(t *testing.T) {
	var out bytes.Buffer
	err := slogtest.TestHandler(telemetry.Logger(&out, true, slog.LevelDebug).Handler(), func() []map[string]any {
		var all []map[string]any
		for line := range strings.Lines(out.String()) {
			all = append(all, fields(line))
		}
		return all
	})
	require.NoError(t, err)
}

// fields parses a line of a log.
func fields(line string) map[string]any {
	all := map[string]any{}
	words := strings.Fields(line)
	if strings.Count(words[0], ":") == 2 {
		all[slog.TimeKey], words = words[0], words[1:]
	}
	all[slog.LevelKey], all[slog.MessageKey] = words[0], words[1]
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		in := all
		for {
			group, rest, ok := strings.Cut(key, ".")
			if !ok {
				break
			}
			inner, _ := in[group].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
				in[group] = inner
			}
			in, key = inner, rest
		}
		in[key] = value
	}
	return all
}

func TestSampler(t *testing.T) {
	s := telemetry.NewSampler(3, 4)
	now := time.Unix(1000, 0)
	take := func(n int) (written []int, leftOut int64) {
		for i := range n {
			write, left := s.Take(now.Add(time.Duration(i)), false)
			if write {
				written = append(written, i+1)
			} else {
				require.Zero(t, left)
			}
			leftOut += left
		}
		return written, leftOut
	}
	written, leftOut := take(12) // the first three, and of the others every fourth
	require.Equal(t, []int{1, 2, 3, 7, 11}, written)
	require.EqualValues(t, 6, leftOut)

	write, left := s.Take(now, true) // what matters is written, with the number of lines left out before it
	require.True(t, write)
	require.EqualValues(t, 1, left)

	now = now.Add(time.Second)
	written, leftOut = take(5)
	require.Equal(t, []int{1, 2, 3}, written)
	require.Zero(t, leftOut)

	now = now.Add(time.Hour)
	written, leftOut = take(1)
	require.Equal(t, []int{1}, written)
	require.EqualValues(t, 2, leftOut)
}

func BenchmarkLogger_Request(b *testing.B) {
	for name, human := range map[string]bool{"Human": true, "JSON": false} {
		b.Run(name, func(b *testing.B) {
			log := telemetry.Logger(nothing{}, human, slog.LevelInfo)
			b.ReportAllocs()
			for b.Loop() {
				log.LogAttrs(b.Context(), slog.LevelInfo, "get_order", slog.Int("status", 200), slog.Int("bytes", 1500),
					slog.Duration("took", 123*time.Microsecond), slog.String("request_id", "0123456789abcdef"))
			}
		})
	}
}

type nothing struct{}

func (nothing) Write(b []byte) (int, error) { return len(b), nil }
