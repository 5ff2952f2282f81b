package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"brokerage/internal/workload"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

// Help returns what brokerage completion --help prints beside the flags.
func (completionCmd) Help() string {
	return "bash: source <(brokerage completion bash)   in ~/.bashrc\n\n" +
		"zsh: source <(brokerage completion zsh)   in ~/.zshrc, after compinit\n\n" +
		"fish: brokerage completion fish >~/.config/fish/completions/brokerage.fish"
}

// Run writes the shell's script, which calls this program for completions.
func (c *completionCmd) Run(s streams) error {
	_, err := io.WriteString(s.out, shells[c.Shell])
	return err
}

// completeCommand is the hidden command that the scripts call, with the words between the program and the cursor.
const completeCommand = "__complete"

//nolint:lll // the lines of the scripts are as a shell reads them
var shells = map[string]string{
	"bash": `_brokerage() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("${line%%$'\t'*}"); done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _brokerage brokerage
`,
	"zsh": `#compdef brokerage
_brokerage() {
  local line
  local -a found
  while IFS= read -r line; do found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}"); done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe brokerage found; else _files; fi
}
compdef _brokerage brokerage
`,
	"fish": `complete -c brokerage -a '(set -l words (commandline -opc) (commandline -ct); $words[1] __complete $words[2..-1] 2>/dev/null)'
`,
}

// complete writes the completions of the last word, a line each: the completion, a tab, its help. If it writes no line,
// the shell completes file names.
func complete(out io.Writer, node *kong.Node, words []string) int {
	before, last := words[:max(len(words)-1, 0)], strings.Join(words[max(len(words)-1, 0):], "")
	var waiting *kong.Flag // for its value
	for _, word := range before {
		switch {
		case word == "=": // bash takes --flag=value apart
		case waiting != nil:
			waiting = nil
		case strings.HasPrefix(word, "--"):
			name, _, whole := strings.Cut(word[2:], "=")
			if i := slices.IndexFunc(flagsOf(node),
				func(f *kong.Flag) bool { return f.Name == name && !f.IsBool() }); i >= 0 && !whole {
				waiting = flagsOf(node)[i]
			}
		default:
			if i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word }); i >= 0 {
				node = node.Children[i]
			}
		}
	}
	if last == "=" {
		last = ""
	}
	say := func(word, help string) {
		if strings.HasPrefix(word, last) {
			_, _ = fmt.Fprintf(out, "%s\t%s\n", word, help) // a shell that has exited needs none
		}
	}
	switch {
	case waiting != nil:
		for _, value := range valuesOf(waiting.Value) {
			say(value, waiting.Help)
		}
	case strings.HasPrefix(last, "-") || len(node.Children) == 0 && len(node.Positional) == 0:
		for _, flag := range flagsOf(node) {
			say("--"+flag.Name, flag.Help)
		}
	default:
		for _, child := range node.Children {
			say(child.Name, child.Help)
		}
		for _, argument := range node.Positional {
			for _, value := range valuesOf(argument) {
				say(value, argument.Help)
			}
		}
	}
	return exitOK
}

// flagsOf returns the flags of a command.
func flagsOf(node *kong.Node) (flags []*kong.Flag) {
	for _, group := range node.AllFlags(true) {
		flags = append(flags, group...)
	}
	return flags
}

// valuesOf returns the possible values of a flag or argument, or nil if there are many.
func valuesOf(v *kong.Value) []string {
	switch v.Name {
	case "scale":
		return strings.Split(scaleNames(), ", ")
	case "profile":
		return []string{"tpox-2", "tpox-1"}
	case "kind":
		return []string{"security", "customer", "order"}
	case "workload", "workloads":
		return workload.Names()
	case "log-level":
		return []string{"debug", "info", "warn", "error"}
	}
	return slices.DeleteFunc(v.EnumSlice(), func(value string) bool { return value == "" })
}
