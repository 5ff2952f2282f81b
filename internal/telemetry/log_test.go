package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

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
