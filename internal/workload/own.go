package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"brokerage/internal/tpox"
)

// Own is a transaction that a workload file defines: statements by engine.
type Own struct {
	Name       string                 `json:"name"`
	Kind       string                 `json:"kind"`
	Statements map[string][]Statement `json:"statements"` // by scheme of the engine; they run in one transaction
}

// Statement is a statement of an own transaction. Its markers are parameters, never parts of its text.
type Statement struct {
	Text string `json:"text"` // compiled, with the markers of the engine
	Rows *Range `json:"rows"` // how many rows it must return or change; nil is any number

	values []*Value // of its markers
}

// marker is the name of a value in braces. Two opening braces stand for one; other braces are text.
var marker = regexp.MustCompile(`\{\{|\{[A-Za-z][A-Za-z0-9_]*\}`)

// compile makes each own transaction a Transaction. It reads the files in an order that is the same each time,
// because they are hashed in that order.
func (d *Definition) compile(read func(file string) ([]byte, error)) error {
	for _, name := range slices.Sorted(maps.Keys(d.Values)) {
		if err := d.Values[name].complete(read); err != nil {
			return fmt.Errorf("values.%s: %w", name, err)
		}
	}
	expand := func(text *string) error {
		if file, ok := strings.CutPrefix(*text, "@"); ok {
			contents, err := read(file)
			if err != nil {
				return err
			}
			*text = string(contents)
		}
		if strings.TrimSpace(*text) == "" {
			return errors.New("a statement has no text")
		}
		return nil
	}
	for _, scheme := range slices.Sorted(maps.Keys(d.Setup)) {
		for i := range d.Setup[scheme] {
			if err := expand(&d.Setup[scheme][i]); err != nil {
				return fmt.Errorf("setup: %w", err)
			}
		}
	}
	for _, o := range d.Transactions {
		if slices.ContainsFunc(slices.Concat(Transactions(), d.own), func(t *Transaction) bool { return t.Name == o.Name }) {
			return fmt.Errorf("there is a transaction %s already", o.Name)
		}
		kind := slices.Index([]string{"query", "update", "insert", "delete"}, o.Kind)
		t := &Transaction{
			Transaction: &tpox.Transaction{Name: o.Name, Kind: tpox.Kind(kind)}, //nolint:gosec // the schema has them
			statements:  o.Statements,
		}
		for _, scheme := range slices.Sorted(maps.Keys(o.Statements)) {
			for i := range o.Statements[scheme] {
				s := &o.Statements[scheme][i]
				err := expand(&s.Text)
				if err == nil && s.Rows != nil {
					err = s.Rows.check("rows")
				}
				if err = cmp.Or(err, d.bind(s, scheme == "postgres")); err != nil {
					return fmt.Errorf("transaction %s: %w", o.Name, err)
				}
				t.values = append(t.values, s.values...)
			}
		}
		byName := slices.DeleteFunc(slices.Sorted(maps.Keys(d.Values)), func(name string) bool {
			return !slices.Contains(t.values, d.Values[name])
		})
		t.draw = func(u *User, c *Call) bool {
			for _, name := range byName { // so that what is drawn does not depend on the texts
				v := d.Values[name]
				c.values[v] = u.draws[v]()
			}
			return true
		}
		d.own = append(d.own, t)
	}
	return nil
}

// bind replaces the markers in a statement by those of the engine, and finds their values.
func (d *Definition) bind(s *Statement, numbered bool) (err error) {
	text := s.Text
	s.Text = marker.ReplaceAllStringFunc(text, func(m string) string {
		v := d.Values[strings.Trim(m, "{}")]
		switch {
		case m == "{{":
			return "{"
		case v == nil:
			err = fmt.Errorf("the marker %s has no value: define it in values", m)
		case strings.Contains(text, "'"+m):
			err = fmt.Errorf("the marker %s is in quotes, but is a parameter: remove the quotes", m)
		}
		s.values = append(s.values, v)
		if numbered {
			return "$" + strconv.Itoa(len(s.values))
		}
		return "?"
	})
	return err
}

// NeedsDataset reports whether a run draws from the dataset.
func (d *Definition) NeedsDataset() bool {
	return d.prepares() || d.has(func(t *Transaction) bool {
		return t.statements == nil || slices.ContainsFunc(t.values, func(v *Value) bool { return v.IDs != "" })
	})
}
