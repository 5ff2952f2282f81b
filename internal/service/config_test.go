package service

import (
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"brokerage/internal/access"
)

// The defaults of the tags pass Verify.
func TestDefault(t *testing.T) {
	var c Config
	require.NoError(t, kong.ApplyDefaults(&c))
	require.NoError(t, c.Verify())
	require.Equal(t, 10*time.Second, c.Timeout)
	require.EqualValues(t, 128<<10, c.MaxBody)
	require.Equal(t, access.Algorithms[:], c.JWTAlgorithms)
}

func TestConfig_VerifyReplicas(t *testing.T) {
	const primary, replica = "postgres://me:qqx@one/db", "postgres://me:qqx@two/db"
	for want, c := range map[string]Config{
		"": {DB: primary, Replica: []string{replica, "postgres://a,b/db?target_session_attrs=standby"}},
		"--replica is for a database of PostgreSQL, and --db is SQLite": {DB: "sqlite:x.db", Replica: []string{replica}},
		"--replica is for a database of PostgreSQL, and --db is null":   {DB: "null:", Replica: []string{replica}},
		"--replica: not the URL of a PostgreSQL database":               {DB: primary, Replica: []string{"null:"}},
		"--replica: not the URL of a PostgreSQL database: ": {
			DB: primary, Replica: []string{"postgres://me:qqx@two:b:c/db"},
		},
	} {
		err := c.Verify()
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "qqx")
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "65536": 65536, "64KiB": 65536, "1MiB": 1 << 20, "2 MiB": 2 << 20, "1GiB": 1 << 30,
	} {
		var b ByteSize
		require.NoError(t, b.UnmarshalText([]byte(text)), text)
		require.EqualValues(t, want, b, text)
	}
	for _, text := range []string{"", "-1", "1MB", "MiB", "1.5MiB", "9223372036854775807KiB", "1mib"} {
		require.Error(t, new(ByteSize).UnmarshalText([]byte(text)), text)
	}
}
