package service

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// maxConfigBytes is far more than all settings with comments take.
const maxConfigBytes = 64 << 10

// notFlat names the tokens that a file of settings may not have; its lines are one mapping, and no other is allowed.
var notFlat = map[token.Type]string{
	token.AnchorType:         "an anchor or alias",
	token.AliasType:          "an anchor or alias",
	token.MergeKeyType:       "an anchor or alias",
	token.SequenceStartType:  "a list",
	token.SequenceEntryType:  "a list",
	token.MappingKeyType:     "a key that is not a name",
	token.MappingStartType:   "a mapping in another",
	token.DocumentHeaderType: "the end of a document, behind which nothing is read",
	token.DocumentEndType:    "the end of a document, behind which nothing is read",
}

// ReadConfigFile reads a file of settings: "name: value" lines of YAML, with the names of the flags. It takes little
// time and memory, whatever the file holds.
func ReadConfigFile(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(file, maxConfigBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxConfigBytes {
		return nil, fmt.Errorf("%s is larger than %d KiB, so it is not a file of settings", path, maxConfigBytes>>10)
	}
	// Tokens are checked before the text is parsed, because a parser would expand a few hundred bytes with aliases, or
	// tens of thousands of brackets, to gigabytes.
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
			return nil, fmt.Errorf("%s: line %d has %s, but settings are lines of a name and a value", path,
				t.Position.Line, found)
		}
	}
	var values map[string]string
	if err := yaml.Unmarshal(text, &values); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // the other lines quote the file
		return nil, fmt.Errorf("%s: %w", path, errors.New(first))
	}
	return values, nil
}
