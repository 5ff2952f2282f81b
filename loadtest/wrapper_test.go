package loadtest_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// A k6 on the PATH is used if it can run the script, whatever its version, and Go builds one otherwise.
func TestK6_Version(t *testing.T) {
	shell := testenv.Command(t, "sh")
	for name, c := range map[string]struct {
		version string
		loads   bool
		says    string
	}{
		"Zero":        {"k6 v0.57.0 (go1.22)", true, "the built k6"},
		"One":         {"k6 v1.8.1 (go1.25)", false, "the k6 on the PATH"},
		"Two":         {"k6 v2.2.0 (go1.26)", false, "the k6 on the PATH"},
		"Newer":       {"k6 v3.0.1 (go1.27)", true, "the k6 on the PATH"},
		"NewerBroken": {"k6 v3.0.1 (go1.27)", false, "the built k6"},
		"None":        {"", true, "the built k6"},
	} {
		t.Run(name, func(t *testing.T) {
			bin, cache := t.TempDir(), t.TempDir()
			inspect := map[bool]string{true: "0", false: "1"}[c.loads]
			program := func(name, text string) {
				text = "#!/bin/sh\ncase $1 in\n" + text + "esac\n"
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
				require.NoError(t, os.WriteFile(name, []byte(text), 0o755)) //nolint:gosec // a program
			}
			run := "run) echo %s with $LOADTEST_K6 $GOGC $K6_API: \"$@\";;\n"
			answers := "version) echo '" + c.version + "';;\ninspect) exit " + inspect + ";;\n"
			program(filepath.Join(bin, "k6"), answers+strings.ReplaceAll(run, "%s", "the k6 on the PATH"))
			program(filepath.Join(bin, "go"), "env) echo "+cache+";;\n")
			built := regexp.MustCompile(`version=(v[0-9.]+)`).FindStringSubmatch(testenv.Text(t, "k6"))[1]
			program(filepath.Join(cache, "brokerage-k6", "k6-"+built), strings.ReplaceAll(run, "%s", "the built k6"))

			cmd := exec.CommandContext(t.Context(), shell, "./k6", "run", "brokerage.js", "-e", "OUT=none")
			cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin"}
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run() // without a result, it ends with 1
			const local = `127\.0\.0\.1:\d+`
			const arguments = `run --address ` + local + ` brokerage\.js -e OUT=none\n`
			require.Regexp(t, "^"+c.says+` with v[0-9.]+ 400 `+local+`: `+arguments+"$",
				out.String(), errs.String())
			refused := strings.Contains(errs.String(), "k6 3.x on the PATH cannot run brokerage.js")
			require.Equal(t, name == "NewerBroken", refused)
		})
	}
}

// What is given is not changed: the address of k6's API and the settings of Go's runtime.
func TestK6_Given(t *testing.T) {
	shell := testenv.Command(t, "sh")
	bin := t.TempDir()
	fake := "#!/bin/sh\ncase $1 in version) echo 'k6 v2.2.0';; run) echo $GOGC $GOMEMLIMIT $K6_API: \"$@\";; esac\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "k6"), []byte(fake), 0o755)) //nolint:gosec // a program
	for want, arguments := range map[string]string{
		"off 1GiB localhost:7000: run a.js --address localhost:7000\n":      "run a.js --address localhost:7000",
		"off 1GiB localhost:7000: run --address=localhost:7000 a.js\n":      "run --address=localhost:7000 a.js",
		"off 1GiB db:7000: run --address db:7000 a.js -e K6_API=db:7000\n":  "run a.js -e K6_API=db:7000",
		"off 1GiB db:7000: run -a db:1 a.js -e K6_API=db:7000 -e USERS=3\n": "run -a db:1 a.js -e K6_API=db:7000 -e USERS=3",
	} {
		cmd := exec.CommandContext(t.Context(), shell, append([]string{"./k6"}, strings.Fields(arguments)...)...)
		cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "GOGC=off", "GOMEMLIMIT=1GiB"}
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, want, string(out))
	}
}
