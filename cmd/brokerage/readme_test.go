package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

const readmeAddr = "127.0.0.1:8080"

// block is a fenced block of the README.
type block struct{ language, text string }

func readme(t testing.TB) (blocks []block) {
	t.Helper()
	b, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)\n```$").FindAllStringSubmatch(string(b), -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	require.NotEmpty(t, blocks)
	return blocks
}

// The tour is taken as it is printed, on a service that was started as it is
// printed but for the port, and its answers are those that stand there.
func TestReadme_Tour(t *testing.T) {
	testenv.Command(t, "curl")
	shell := testenv.Command(t, "bash")
	service := serving(t, "")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	commands := 0
	for _, b := range readme(t) {
		if b.language != "console" {
			continue
		}
		for _, step := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			commands++
			cmd := exec.CommandContext(t.Context(), shell, "-c", strings.ReplaceAll(command, "http://"+readmeAddr, service.url))
			cmd.Dir = root
			got, err := cmd.Output()
			require.NoError(t, err, command)
			require.Regexp(t, asPattern(want), strings.TrimRight(strings.ReplaceAll(string(got), "\r", ""), "\n"), command)
		}
	}
	require.GreaterOrEqual(t, commands, 17)
	service.stop(t)
}

// asPattern is an answer in which … stands for anything.
func asPattern(answer string) string {
	parts := strings.Split(strings.TrimRight(answer, "\n"), "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return `(?s)\A` + strings.Join(parts, ".*") + `\z`
}

// The tour passes through all 17.
func TestReadme_TourIsWhole(t *testing.T) {
	var text strings.Builder
	for _, b := range readme(t) {
		if b.language == "console" {
			text.WriteString(b.text + "\n")
		}
	}
	for name, pattern := range map[string]string{
		"get_order": `curl -s \S+/v1/orders/\d+\n`, "get_security": `curl -s \S+/v1/securities/\w+\n`,
		"customer_profile": `/profile\n`, "search_securities": `/v1/securities\?sector=`, "account_summary": `/statement\n`,
		"get_security_price": `curl -s \S+/price\n`, "customer_max_order": `/orders/largest\n`,
		"close_account": `-X DELETE \S+/accounts/\d+`, "open_account": `open_account.request.xml \S+/accounts `,
		"update_security_price": `-X PUT .*/price\n`, "update_order_status": `-X PUT .*/status\n`,
		"buy_security": `/buy\n`, "sell_security": `/sell\n`, "insert_order": `insert_order.request.xml`,
		"insert_customer": `insert_customer.request.xml`, "delete_order": `-X DELETE \S+/v1/orders/\d+`,
		"delete_customer": `-X DELETE \S+/v1/customers/\d+ `,
	} {
		require.Regexp(t, pattern, text.String(), name)
	}
}

// runReadme runs a command of this program; one that is for a service gets one.
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

// shortened is a command as the README has it, with less to do: so little that on a
// busy machine it may be INVALID, which is no fault of the README's.
func shortened(args []string) []string {
	if args[0] == "drive" || args[0] == "campaign" {
		args = append(args, "--allow-invalid")
	}
	for i := range len(args) - 1 {
		switch args[i] {
		case "--ramp":
			args[i+1] = "200ms"
		case "--duration":
			args[i+1] = "500ms"
		}
	}
	if args[0] == "campaign" {
		args = append(args, "--scale", "tiny", "--users", "2", "--warm-up", "100ms", "--stages", "0", "--tier", "0s", "--no-tuned", "--cpus", "0")
		return append(args, "--duration", "300ms")
	}
	return args
}

// The other commands: those of make are targets, those of this program do what
// they say.
func TestReadme_Commands(t *testing.T) {
	dir := t.TempDir()
	for _, b := range readme(t) {
		if b.language != "sh" {
			continue
		}
		for line := range strings.Lines(b.text) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			if strings.HasPrefix(line, "loadtest/k6 ") {
				continue // package loadtest runs it
			}
			if arguments, ok := strings.CutPrefix(line, "go run ./cmd/brokerage "); ok {
				runReadme(t, dir, line, shortened(strings.Fields(arguments)))
				continue
			}
			target, ok := strings.CutPrefix(line, "make ")
			require.True(t, ok, "no test knows how to run %q", line)
			makefile, err := os.ReadFile("../../Makefile")
			require.NoError(t, err)
			require.Contains(t, string(makefile), "\n"+strings.TrimSpace(target)+":")
		}
	}
}
