package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"brokerage/internal/output"
	"brokerage/internal/service"
)

// serveCmd has the settings of a service as flags, each of which is a variable and a line of --config too: see
// environment.
//
//nolint:lll // a help text is one string
type serveCmd struct {
	Config   configFile     `placeholder:"FILE" help:"YAML file with one flag name and value a line. Flags override environment variables (BROKERAGE_…), which override the file. Default: none."`
	Port     portFlag       `hidden:""`
	Settings service.Config `embed:""`
}

// Run serves until ctx is done.
func (c *serveCmd) Run(ctx context.Context, s streams) error {
	return service.Run(ctx, c.Settings,
		service.Process{
			Out: s.out, Err: s.err, Terminal: isTerminal(s.err), Build: buildInfo(), Config: string(c.Config),
		})
}

// environment returns the option that gives every flag of one command a variable: the prefix and the flag's name, so
// that --max-body is BROKERAGE_MAX_BODY. The flags of other commands have no variables, because the settings of a
// service must not change what a load in the same environment does.
func environment(command, prefix string) kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		for _, node := range k.Model.Children {
			if node.Name != command {
				continue
			}
			for _, flag := range node.Flags {
				if flag.Hidden { // Kubernetes sets BROKERAGE_PORT beside a service of that name
					continue
				}
				name := prefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
				flag.Envs = []string{name}
				flag.Tag.Envs = flag.Envs
			}
		}
		return nil
	})
}

// configFile is a flag that names a file with values for the other flags of its command. A flag overrides a variable, a
// variable overrides the file.
type configFile string

// maxConfigBytes is far more than all settings with comments take.
const maxConfigBytes = 64 << 10

// BeforeResolve gives kong the file's values for flags that are not set otherwise. Kong calls it if --config is set.
func (configFile) BeforeResolve(ctx *kong.Context, path *kong.Path) error {
	command := ctx.Selected()
	if command == nil || !slices.Contains(command.Flags, path.Flag) {
		return nil // the variable is set for another command
	}
	file, _ := ctx.FlagValue(path.Flag).(configFile)
	if file == "" {
		return nil
	}
	values, err := file.read()
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	for name := range values {
		known := func(f *kong.Flag) bool { return f.Name == name && !f.Hidden && f != path.Flag }
		if !slices.ContainsFunc(command.Flags, known) {
			return fmt.Errorf("--config: %s: there is no setting %q (brokerage %s --help lists them)", file, name, command.Name)
		}
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		// Kong would let a resolver's value override the variable's.
		if slices.ContainsFunc(flag.Envs, isSet) {
			return nil, nil
		}
		if value, ok := values[flag.Name]; ok {
			return value, nil
		}
		return nil, nil
	}))
	return nil
}

// notFlat are the tokens that a file of settings may not have. A parser would expand a few hundred bytes with aliases,
// or tens of thousands of brackets, to gigabytes, and ignore what follows the end of a document.
var notFlat = []token.Type{
	token.AnchorType, token.AliasType, token.MergeKeyType, token.SequenceStartType, token.SequenceEntryType,
	token.MappingKeyType, token.MappingStartType, token.DocumentEndType,
}

// read returns the settings of the file.
func (f configFile) read() (values map[string]string, err error) {
	in, err := os.Open(string(f)) // or a pipe
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read
	text, err := output.ReadAtMost(in, maxConfigBytes)
	if err != nil {
		return nil, err
	}
	begun := false
	for _, t := range lexer.Tokenize(string(text)) {
		if slices.Contains(notFlat, t.Type) || begun && t.Type == token.DocumentHeaderType {
			return nil, fmt.Errorf("%s: line %d: each setting must be one line, NAME: VALUE", f, t.Position.Line)
		}
		begun = begun || t.Type != token.CommentType
	}
	if err := yaml.Unmarshal(text, &values); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // the other lines quote the file
		return nil, fmt.Errorf("%s: %s", f, first)
	}
	return values, nil
}

func isSet(variable string) bool {
	_, set := os.LookupEnv(variable)
	return set
}
