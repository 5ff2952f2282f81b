package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"ser":                            "serve",
		"re":                             "restore report",
		"serve --li":                     "--listen",
		"serve --po":                     "--pool", // not --port, which is no flag of this service
		"serve --log-format ":            "auto human json",
		"serve --log-format = j":         "json",
		"serve --log-level=debug --log-": "--log-level --log-format",
		"load --scale XX":                "XXXS XXS XXL",
		"load --db sqlite:x --sc":        "--scale",
		"drive --workload ":              "classic insert-customers insert-orders mixed query",
		"drive --db ":                    "",
		"drive --tier --tu":              "--turns",
		"report ":                        "",
		"completion ":                    "bash zsh fish",
		"--vers":                         "--version",
		"none --x":                       "",
	} {
		r := brokerage(t.Context(), append([]string{completeCommand}, strings.Split(line, " ")...)...)
		require.Equal(t, exitOK, r.code)
		var words []string
		for found := range strings.Lines(r.out) {
			word, help, ok := strings.Cut(strings.TrimSpace(found), "\t")
			require.True(t, ok && help != "", found)
			words = append(words, word)
		}
		require.Equal(t, want, strings.Join(words, " "), line)
	}
}

// The scripts in the installed shells: the completions of each for a line.
func TestComplete_Shells(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(bin, "brokerage")))
	for shell, script := range map[string]string{
		"bash": `source <(brokerage completion bash); COMP_WORDS=(brokerage serve --li); COMP_CWORD=2; _brokerage; ` +
			`echo "${COMPREPLY[@]}"; complete -p brokerage`,
		"zsh": `compdef() { :; }; _describe() { print -r -- ${found%%:*}; }; source <(brokerage completion zsh)
words=(brokerage serve --li); CURRENT=3; _brokerage`,
		"fish": `brokerage completion fish | source; complete -C 'brokerage serve --li' | string split -f1 \t`,
	} {
		t.Run(shell, func(t *testing.T) {
			program := testenv.Command(t, shell)
			cmd := exec.CommandContext(t.Context(), program, "-c", script)
			cmd.Env = append(os.Environ(), asMain+"=1", "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			require.Equal(t, "--listen", strings.SplitN(string(out), "\n", 2)[0], string(out))
		})
	}
	require.Equal(t, exitUsage, brokerage(t.Context(), "completion", "tcsh").code)
}
