package postgres

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"brokerage/internal/store/postgres/pgtest"
)

// The server takes each of the tuned settings, each stands below its reason, and
// none of them is about durability.
func TestTunedSettings(t *testing.T) {
	file, err := os.Open("../../../deploy/postgres/tuned.conf")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	server := pgtest.Start(t)
	conn := server.Connect(t, "postgres")
	defer func() { require.NoError(t, conn.Close(t.Context())) }()

	form := regexp.MustCompile(`^([a-z_]+) = (\S+)$`)
	explained, count := false, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if line == "" {
			explained = false
			continue
		}
		if strings.HasPrefix(line, "#") {
			explained = true
			continue
		}
		setting := form.FindStringSubmatch(line)
		require.NotNil(t, setting, line)
		name, value := setting[1], setting[2]
		require.True(t, explained, "%s stands without a reason", name)
		require.False(t, slices.Contains(durability, name), name)
		var values []string
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT coalesce(enumvals, '{}') FROM pg_settings WHERE name = $1", name).Scan(&values), name)
		if len(values) > 0 && !slices.Contains(values, value) && value == "lz4" {
			t.Logf("this server was built without lz4, for %s", name)
			continue
		}
		_, err := conn.Exec(t.Context(), "ALTER SYSTEM SET "+name+" = '"+value+"'", pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		count++
	}
	require.Greater(t, count, 10)
}
