package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// environment gives every flag of a command a variable: the prefix and the
// flag's name, so that --max-body is BROKERAGE_MAX_BODY. Only that command's:
// what is set for the service must not change what a load does beside it.
func environment(command, prefix string) kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		for _, node := range k.Model.Children {
			if node.Name != command {
				continue
			}
			for _, flag := range node.Flags {
				if flag.Hidden { // BROKERAGE_PORT is Kubernetes', beside a service of that name
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

// configFile is a flag that names a file with values for the other flags of its
// command: "name: value" lines of YAML. A flag goes before a variable, a
// variable before the file.
type configFile string

// BeforeResolve is called by kong when it knows the flag or its variable.
func (configFile) BeforeResolve(ctx *kong.Context, path *kong.Path) error {
	command := ctx.Selected()
	if command == nil || !slices.Contains(command.Flags, path.Flag) {
		return nil // the variable is set, and it is another command
	}
	file, _ := ctx.FlagValue(path.Flag).(configFile)
	if file == "" {
		return nil
	}
	text, err := readConfig(string(file))
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	if err := flat(text); err != nil {
		return fmt.Errorf("--config: %s: %w", file, err)
	}
	var values map[string]string
	if err := yaml.Unmarshal(text, &values); err != nil {
		return fmt.Errorf("--config: %s: %s", file, firstLine(err.Error()))
	}
	for name := range values {
		if !slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == name && !f.Hidden && f != path.Flag }) {
			return fmt.Errorf("--config: %s: there is no setting %q (brokerage %s --help lists them)", file, name, command.Name)
		}
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		// Kong would put a resolver's value above the variable's.
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

// maxConfig is far more than all settings with comments take.
const maxConfig = 64 << 10

func readConfig(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%s is larger than %d KiB, and no file of settings", path, maxConfig>>10)
	}
	return text, err
}

// notFlat is what lines of a name and a value do not have; of mappings, they are one.
var notFlat = map[token.Type]string{
	token.AnchorType: "an anchor or alias", token.AliasType: "an anchor or alias", token.MergeKeyType: "an anchor or alias",
	token.SequenceStartType: "a list", token.SequenceEntryType: "a list",
	token.MappingKeyType: "a key that is not a name", token.MappingStartType: "a mapping in another",
	token.DocumentHeaderType: "the end of a document, behind which nothing is read",
	token.DocumentEndType:    "the end of a document, behind which nothing is read",
}

// flat refuses what "name: value" lines do not have, before the text is parsed: with
// aliases a few hundred bytes become gigabytes, and so do tens of thousands of
// brackets.
func flat(text []byte) error {
	mappings, begun := 0, false
	for _, t := range lexer.Tokenize(string(text)) {
		found, refused := notFlat[t.Type]
		switch {
		case t.Type == token.MappingStartType:
			mappings++
			refused = mappings > 1
		case t.Type == token.DocumentHeaderType || t.Type == token.DocumentEndType:
			refused = begun
		}
		begun = begun || t.Type != token.CommentType
		if refused {
			return fmt.Errorf("line %d has %s, and settings are lines of a name and a value", t.Position.Line, found)
		}
	}
	return nil
}

func isSet(variable string) bool {
	_, set := os.LookupEnv(variable)
	return set
}

// firstLine is the message of an error that goes on to draw where it was.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// byteSize is a number of bytes, as a person writes it: 65536, 64KiB, 1MiB.
type byteSize int64

// UnmarshalText reads a size.
func (b *byteSize) UnmarshalText(text []byte) error {
	digits, factor := string(text), int64(1)
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(digits, unit); ok {
			digits, factor = strings.TrimSpace(number), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/factor {
		return fmt.Errorf("%q is not a size such as 65536, 64KiB or 1MiB", text)
	}
	*b = byteSize(n * factor)
	return nil
}
