package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"brokerage/internal/tpox"
)

// Own is a transaction of one's own: statements of an engine's language.
type Own struct {
	Name       string                    `json:"name"`
	Kind       string                    `json:"kind"`       // query, update, insert, delete
	Statements map[string][]OwnStatement `json:"statements"` // by scheme of the engine; one transaction
}

// OwnStatement is one SQL statement of a transaction in a workload file. Its markers are parameters, never parts of its
// text.
type OwnStatement struct {
	Text string `json:"text"`
	Rows *Range `json:"rows"` // how many rows it must return or change; nil is any number
}

// schemes are the engines that run statements.
var schemes = []string{"postgres", "sqlite", "db2"}

// compile makes own transactions into values of the type of all others. read reads the files that the workload names.
func (d *Definition) compile(read func(file string) ([]byte, error)) error {
	for i, name := range slices.Sorted(maps.Keys(d.Values)) {
		v := d.Values[name]
		switch {
		case !marker.MatchString("{" + name + "}"):
			return fmt.Errorf("values: %q is not a name of letters, digits and _ that begins with a letter", name)
		case v == nil:
			return fmt.Errorf("values.%s: it is empty", name)
		}
		if err := v.complete(read); err != nil {
			return fmt.Errorf("values.%s: %w", name, err)
		}
		v.index = i
	}
	for _, scheme := range slices.Sorted(maps.Keys(d.Setup)) { // sorted: the order of files is that of the hash
		texts := d.Setup[scheme]
		if !slices.Contains(schemes, scheme) {
			return fmt.Errorf("setup: there are no statements of %q: it is one of %s", scheme, strings.Join(schemes, ", "))
		}
		for i := range texts {
			if err := expand(&texts[i], read); err != nil {
				return fmt.Errorf("setup: %w", err)
			}
		}
	}
	for i := range d.Transactions {
		o := &d.Transactions[i]
		c := compiler{definition: d, read: read}
		t, err := c.transaction(o)
		if err != nil {
			return fmt.Errorf("transactions: %s: %w", cmp.Or(o.Name, "without a name"), err)
		}
		d.own = append(d.own, t)
	}
	return nil
}

// expand replaces @FILE by the contents of the file.
func expand(text *string, read func(file string) ([]byte, error)) error {
	file, ok := strings.CutPrefix(*text, "@")
	if !ok {
		return nil
	}
	contents, err := read(file)
	*text = string(contents)
	return err
}

// compiler compiles one transaction.
type compiler struct {
	definition *Definition
	read       func(file string) ([]byte, error)
	values     []*Value // that it needs
}

var (
	// ownName is short enough for the column of names in the table.
	ownName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,20}$`)
	kinds   = []tpox.Kind{tpox.Query, tpox.Update, tpox.Insert, tpox.Delete}
)

func (c *compiler) transaction(o *Own) (t *Transaction, err error) {
	kind := slices.IndexFunc(kinds, func(k tpox.Kind) bool { return k.String() == o.Kind })
	switch {
	case !ownName.MatchString(o.Name):
		return nil, errors.New("a name is one to 21 lower-case letters, digits and _, and begins with a letter")
	case c.definition.named(o.Name) != nil:
		return nil, errors.New("there is a transaction of that name already")
	case kind < 0:
		return nil, fmt.Errorf("the kind is %q, but must be query, update, insert or delete", o.Kind)
	case len(o.Statements) == 0:
		return nil, errors.New("it has no statements")
	}
	t = &Transaction{
		Transaction: &tpox.Transaction{Name: o.Name, Kind: kinds[kind]}, own: true, scripts: make(map[string][]statement),
	}
	for _, scheme := range slices.Sorted(maps.Keys(o.Statements)) {
		if t.scripts[scheme], err = c.statements(scheme, o.Statements[scheme]); err != nil {
			return nil, fmt.Errorf("statements: %w", err)
		}
	}
	slices.SortFunc(c.values, func(a, b *Value) int { return cmp.Compare(a.index, b.index) })
	t.values = slices.Compact(c.values)
	t.draw = t.drawOwn
	return t, nil
}

// statement is a compiled OwnStatement.
type statement struct {
	text   string // with the markers of the engine
	values []*Value
	rows   *Range
}

func (c *compiler) statements(scheme string, list []OwnStatement) (all []statement, err error) {
	if !slices.Contains(schemes, scheme) {
		return nil, fmt.Errorf("there are none of %q: it is one of %s", scheme, strings.Join(schemes, ", "))
	}
	for _, o := range list {
		if err := expand(&o.Text, c.read); err != nil {
			return nil, err
		}
		s := statement{rows: o.Rows}
		for i, part := range split(o.Text) {
			if i%2 == 0 {
				s.text += part
				continue
			}
			if strings.HasSuffix(s.text, "'") {
				return nil, fmt.Errorf("the marker {%s} is in quotes, but is a parameter", part)
			}
			v, ok := c.definition.Values[part]
			if !ok {
				return nil, fmt.Errorf("the marker {%s} has no value: values has %s", part,
					cmp.Or(strings.Join(slices.Sorted(maps.Keys(c.definition.Values)), ", "), "none"))
			}
			c.values, s.values = append(c.values, v), append(s.values, v)
			if scheme == "postgres" {
				s.text += fmt.Sprint("$", len(s.values))
			} else {
				s.text += "?"
			}
		}
		if strings.TrimSpace(s.text) == "" {
			return nil, errors.New("a statement has no text")
		}
		if r := s.rows; r != nil && (r[0] < 0 || r[0] > r[1]) {
			return nil, fmt.Errorf("rows: [%d, %d] is not a range", r[0], r[1])
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are none for %s", scheme)
	}
	return all, nil
}

// marker is the name of a value in braces. Two opening braces stand for one; other braces are text.
var marker = regexp.MustCompile(`\{\{|\{([A-Za-z][A-Za-z0-9_]*)\}`)

// split returns the literals and the names of the markers in a text, alternately.
func split(text string) (parts []string) {
	literal := ""
	for {
		at := marker.FindStringSubmatchIndex(text)
		switch {
		case at == nil:
			return append(parts, literal+text)
		case at[2] < 0: // two braces
			literal += text[:at[0]+1]
		default:
			parts = append(parts, literal+text[:at[0]], text[at[2]:at[3]])
			literal = ""
		}
		text = text[at[1]:]
	}
}

// drawOwn draws the values of an own transaction.
func (t *Transaction) drawOwn(u *User, c *Call) bool {
	for _, v := range t.values {
		c.values[v.index] = u.draws[v.index](c.values[v.index][:0])
	}
	return true
}

// Fits returns an error if a transaction of the mix cannot run on an engine of a scheme, or over HTTP, which has none.
func (d *Definition) Fits(scheme string) error {
	for t := range d.running() {
		if t.own && len(t.scripts[scheme]) == 0 {
			return fmt.Errorf("the transaction %s has no statements for %s", t.Name, cmp.Or(scheme, "a service, only for --db"))
		}
	}
	return nil
}

// NeedsDataset reports whether a run draws from the dataset.
func (d *Definition) NeedsDataset() bool {
	return d.Prepare != Prepare{} || d.has(func(t *Transaction) bool {
		return !t.own || slices.ContainsFunc(t.values, func(v *Value) bool { return v.IDs != "" })
	})
}
