package main

import (
	"fmt"
	"iter"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/testenv"
)

const readmeAddr = "127.0.0.1:8080"

// readme returns the fenced blocks of a language in the README and in the documents that a newcomer reads next.
func readme(t testing.TB, language string) (blocks []string) {
	t.Helper()
	for _, name := range []string{"README.md", "docs/tour.md", "docs/load-tests.md"} {
		blocks = append(blocks, guideBlocks(t, "../../"+name, language)...)
	}
	require.NotEmpty(t, blocks)
	return blocks
}

// The commands of the tour, on a service started as printed except for the port, return the printed responses. The tour
// does not disturb a load on the same database. After a load, the tour has other ids and figures, but everything still
// works.
func TestReadme_Tour(t *testing.T) {
	t.Parallel()
	service := serving(t, "")
	for step, got := range tour(t, service) {
		require.Regexp(t, asPattern(step.answer), got, step.command)
	}
	whole := dataset.New(dataset.Spec{Seed: 1})
	for i := range whole.TotalAccounts() {
		require.Equal(t, http.StatusOK, get(t, fmt.Sprintf("%s/v1/accounts/%d", service.url, whole.FirstAccount(0)+i)).status)
	}
	for _, name := range []string{"mixed", "insert-customers"} {
		r := succeeds(t, "drive", "--url", service.url, "--workload", name, "--users", "20", "--ramp", "0s",
			"--count", "2000", "--allow-invalid")
		require.NotRegexp(t, "(?i)unexpected", r.out) // neither among measured nor among preparing requests
	}
	// The code of each answer, or else its root element.
	outcome := regexp.MustCompile(`^HTTP/1.1 \d+|<type>.*?</type>|^<\w+`)
	for step, got := range tour(t, service) {
		require.Equal(t, outcome.FindAllString(step.answer, -1), outcome.FindAllString(got, -1), "%s: %s", step.command, got)
	}
	service.stop(t)
}

// tourStep is a command of the tour with its printed response.
type tourStep struct{ command, answer string }

// tour takes the tour in one shell, as a reader does.
func tour(t *testing.T, service *instance) iter.Seq2[tourStep, string] {
	t.Helper()
	testenv.Command(t, "curl")
	shell := testenv.Command(t, "bash")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	const mark = "-- end of a step --"
	var steps []tourStep
	var script strings.Builder
	for _, block := range readme(t, "console") {
		for _, text := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, answer, _ := strings.Cut(text, "\n")
			steps = append(steps, tourStep{command, answer})
			script.WriteString(strings.ReplaceAll(command, "http://"+readmeAddr, service.url) + "\necho; echo '" + mark + "'\n")
		}
	}
	require.GreaterOrEqual(t, len(steps), 17)
	cmd := exec.CommandContext(t.Context(), shell)
	cmd.Dir, cmd.Stdin = root, strings.NewReader(script.String())
	out, err := cmd.Output()
	require.NoError(t, err)
	answers := strings.Split(strings.ReplaceAll(string(out), "\r", ""), mark+"\n")
	require.Len(t, answers, len(steps)+1)
	return func(yield func(tourStep, string) bool) {
		for i, step := range steps {
			if !yield(step, strings.Trim(answers[i], "\n")) {
				return
			}
		}
	}
}

// asPattern returns a regular expression for a printed response, in which … stands for anything.
func asPattern(answer string) string {
	parts := strings.Split(strings.TrimRight(answer, "\n"), "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return `(?s)\A` + strings.Join(parts, ".*") + `\z`
}

// runReadme runs a command of this program. It starts a service for a command that needs one.
func runReadme(t *testing.T, dir, line string, args []string) {
	t.Helper()
	if args[0] == "serve" {
		serving(t, dir, args[1:]...).stop(t)
		return
	}
	if i := slices.Index(args, "http://"+readmeAddr); i >= 0 {
		service := serving(t, dir)
		defer service.stop(t)
		args[i] = service.url
	}
	cmd := process(t, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", line, out)
}

// shortened returns a command of the README with less to do: so little that a run may be INVALID on a busy machine,
// which is not a fault of the README.
func shortened(args []string) []string {
	switch args[0] {
	case "load":
		return append(args, "--scale", "tiny")
	case "drive":
		return append(args, "--users", "5", "--think", "5ms", "--ramp", "200ms", "--duration", "500ms", "--allow-invalid")
	case "campaign":
		return append(args, "--scale", "tiny", "--users", "2", "--warm-up", "100ms", "--duration", "300ms",
			"--steps", "query,mixed", "--think", "2ms", "--allow-invalid")
	}
	return args
}

// The other commands: those of make are targets, those of this program do what they say.
func TestReadme_Commands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, block := range readme(t, "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			if strings.HasPrefix(line, "loadtest/k6 ") || line == "brokerage report k6.json.gz" {
				continue // package loadtest runs k6, and reads what it wrote
			}
			if regexp.MustCompile(` --part |(merged|found)\.json`).MatchString(line) {
				continue // TestMerge_TwoProcesses and TestDrive_Find run these, with less to do
			}
			if arguments, ok := strings.CutPrefix(line, "go run ./cmd/brokerage "); ok {
				runReadme(t, dir, line, shortened(strings.Fields(arguments)))
				continue
			}
			target, ok := strings.CutPrefix(line, "make ")
			require.True(t, ok, "no test knows how to run %q", line)
			require.Contains(t, testenv.Text(t, "../../Makefile"), "\n"+strings.TrimSpace(target)+":")
		}
	}
}
