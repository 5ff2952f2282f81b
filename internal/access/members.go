package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

var errNoObject = errors.New("not an object in JSON")

// readMembers decodes the members of a JSON object that have one of the names in into, and skips the others. Names
// match exactly: with a struct, encoding/json would take "SCOPE" and "ſcope" for "scope" too. A repeated name is an
// error, since readers differ in which one they use; the contents of a skipped member do not matter.
func readMembers(text []byte, into map[string]any) error {
	if !json.Valid(text) {
		return errNoObject
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if opening, err := d.Token(); err != nil || opening != json.Delim('{') {
		return errNoObject
	}
	seen := make(map[string]struct{}, len(into))
	var skipped json.RawMessage
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if _, twice := seen[name]; twice {
			return fmt.Errorf("%q occurs twice", name)
		}
		seen[name] = struct{}{}
		to, wanted := into[name]
		if !wanted {
			to = &skipped
		}
		if err := d.Decode(to); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}
