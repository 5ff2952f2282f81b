package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// A flag overrides a variable, a variable the file, the file the default. The error for an unknown database shows which
// one was used.
func TestServe_Precedence(t *testing.T) {
	file := testenv.File(t, "brokerage.yaml", "db: file:x\n")
	says := func(scheme string, args ...string) {
		t.Helper()
		r := brokerage(t.Context(), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
		requireOneLine(t, r, exitUsage, fmt.Sprintf("%q", scheme+":"))
	}
	says("file", "--config", file)
	says("flag", "--config", file, "--db", "flag:x")
	t.Setenv("BROKERAGE_DB", "variable:x")
	says("variable")
	says("variable", "--config", file)
	says("flag", "--config", file, "--db", "flag:x")
	says("flag", "--db", "flag:x")
	t.Setenv("BROKERAGE_CONFIG", file)
	says("variable")
	require.NoError(t, os.Unsetenv("BROKERAGE_DB"))
	says("file")

	t.Setenv("BROKERAGE_IN_FLIGHT", "99999999")
	requireOneLine(t, brokerage(t.Context(), "serve"), exitUsage, "--in-flight: 99999999 is outside of the range")
	// Settings of the service do not apply to other commands.
	t.Setenv("BROKERAGE_CONFIG", "none")
	t.Setenv("BROKERAGE_TIMEOUT", "nonsense")
	succeeds(t, "version")
	require.NoError(t, os.Unsetenv("BROKERAGE_CONFIG"))
	requireOneLine(t, brokerage(t.Context(), "serve"), exitUsage, "BROKERAGE_TIMEOUT")
}

// The file can hold every kind of value.
func TestServe_Config(t *testing.T) {
	t.Parallel()
	i := serving(t, "", "--config", testenv.File(t, "brokerage.yaml", `# all for a test
db: "null:"
pool: 4
uncompressed: true
covered: no
max-body: 2KiB
queue: 0
timeout: 3s
log-level: debug
log-format: json
`))
	require.Equal(t, 413, send(t, "POST", i.url+"/v1/orders", "", strings.Repeat(" ", 2049)).status)
	require.Equal(t, 200, get(t, i.url+"/healthz").status)
	i.logs.wait(t, "get_health") // at level debug
	i.stop(t)
}

// A file that would take gigabytes to read is refused, in little memory and with one line.
func TestServe_ConfigBombs(t *testing.T) {
	nine := func(s string) string { return "[" + strings.TrimSuffix(strings.Repeat(s+",", 9), ",") + "]" }
	bomb := "a: &a " + nine("xxxx") + "\n"
	for c := 'a'; c < 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%[1]c %s\n", c+1, nine("*"+string(c)))
	}
	indented := ""
	for depth := range 300 {
		indented += strings.Repeat(" ", depth) + "a:\n"
	}
	for name, c := range map[string]struct{ text, says string }{
		"Aliases":  {bomb, "line 1 has an anchor or alias, but settings are lines of a name and a value"},
		"Merge":    {"<<: {db: 'null:'}\n", "line 1 has an anchor or alias"},
		"Brackets": {"db: " + strings.Repeat("[", 60_000), "line 1 has a list"},
		"Indented": {indented, "brokerage.yaml: "},
		"Large":    {strings.Repeat("#\n", 64<<10), "brokerage.yaml is larger than 64 KiB, so it is not a file of settings"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			file := testenv.File(t, "brokerage.yaml", c.text)
			requireOneLine(t, brokerage(t.Context(), "serve", "--config", file), exitUsage, c.says)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
		})
	}
}
