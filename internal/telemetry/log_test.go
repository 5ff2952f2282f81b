package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/telemetry"
)

// What a client has sent neither controls the terminal nor looks like another line.
func TestLogger_Unprintable(t *testing.T) {
	for _, human := range []bool{false, true} {
		var out bytes.Buffer
		telemetry.Logger(&out, human, slog.LevelInfo).Info("x\ny", "k", "\x1b[2J\n")
		require.Equal(t, 1, strings.Count(out.String(), "\n"))
		require.NotContains(t, out.String(), "\x1b")
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
