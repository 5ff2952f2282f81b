package postgres

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/tpox"
)

const tunedFile = "../../../deploy/postgres/tuned.conf"

// A server accepts the file, runs with its settings, and is as durable as before.
func TestTuned_Applied(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := pgtest.StartOutOfTheBox(t)
	before := opened(t, server.URL("postgres"), Options{})
	require.NoError(t, before.Close())
	require.Equal(t, tpox.Durable, before.Describe().Durability)

	conn := server.Connect(t, "postgres")
	// Use the memory figures in brackets, meant for a trial, and drop lz4 if the server was built without it.
	conf := regexp.MustCompile(`(?m)\[(\S+)\]\n(\w+) = \S+$`).ReplaceAllString(testenv.Text(t, tunedFile), "\n$2 = $1")
	require.Contains(t, conf, "shared_buffers = 1GB")
	if !value[bool](t, conn, "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'wal_compression'") {
		conf = strings.Replace(conf, "wal_compression = lz4\n", "", 1)
	}
	server.Include(t, conf)
	server.Restart(t, "fast")
	after := opened(t, server.URL("postgres"), Options{})
	require.Equal(t, before.Describe(), after.Describe(), "nothing that decides over durability has changed")

	conn = server.Connect(t, "postgres")
	settings := regexp.MustCompile(`(?m)^(\w+) = (\S+)$`).FindAllStringSubmatch(conf, -1)
	require.Greater(t, len(settings), 15)
	for _, setting := range settings {
		require.NotContains(t, durability, setting[1])
		// pg_settings converts units: 512MB is 524288 kB.
		require.True(t, value[bool](t, conn, `SELECT f.applied AND f.error IS NULL AND s.sourcefile = f.sourcefile
				AND NOT s.pending_restart AND s.setting = s.reset_val
			FROM pg_file_settings AS f JOIN pg_settings AS s USING (name) WHERE f.name = $1 AND f.setting = $2`,
			setting[1], setting[2]), setting[1])
	}
	require.NoError(t, after.LoadDataset(t.Context(), generator(t), nil))
}
