package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"brokerage/internal/tpox"
)

// Own is a transaction of one's own: an HTTP request, statements of an engine's language, or both.
type Own struct {
	Name       string                    `json:"name"`
	Kind       string                    `json:"kind"` // query, update, insert, delete
	Request    *OwnRequest               `json:"request"`
	Statements map[string][]OwnStatement `json:"statements"` // by scheme of the engine; one transaction
	Expect     Expect                    `json:"expect"`
}

// OwnRequest is an HTTP request. Path, the values of headers and body may have markers.
type OwnRequest struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// OwnStatement is a statement. Its markers are parameters, never parts of its text.
type OwnStatement struct {
	Text string `json:"text"`
	Rows *Range `json:"rows"` // how many rows it must return or change; nil is any number
}

// Expect is what is required of a good answer.
type Expect struct {
	Status []int  `json:"status"` // of HTTP; any from 200 to 299 if empty
	Root   string `json:"root"`   // element, without prefix
	Text   string `json:"text"`   // anywhere in the answer; may have markers
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
		v.name, v.index = name, i
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
	// elementName is without the characters that few elements have.
	elementName = regexp.MustCompile(`^[\pL_][\pL\pN._-]*$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9-]+$")

	kinds   = []tpox.Kind{tpox.Query, tpox.Update, tpox.Insert, tpox.Delete}
	methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
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
	case o.Request == nil && len(o.Statements) == 0:
		return nil, errors.New("it has neither a request nor statements")
	}
	t = &Transaction{
		Transaction: &tpox.Transaction{Name: o.Name, Kind: kinds[kind], Answer: o.Expect.Root},
		own:         true, statuses: o.Expect.Status, scripts: make(map[string][]statement),
	}
	if err := c.expectations(&o.Expect, t); err != nil {
		return nil, fmt.Errorf("expect: %w", err)
	}
	if o.Request != nil {
		if t.request, err = c.request(o.Request); err != nil {
			return nil, fmt.Errorf("request: %w", err)
		}
	}
	for _, scheme := range slices.Sorted(maps.Keys(o.Statements)) {
		if t.scripts[scheme], err = c.statements(scheme, o.Statements[scheme]); err != nil {
			return nil, fmt.Errorf("statements: %w", err)
		}
	}
	c.setValues(t)
	t.draw = t.drawOwn
	return t, nil
}

// setValues sets what the transaction draws. Leased ids come first: a draw that lacks one is repeated, and must not
// have taken anything by then.
func (c *compiler) setValues(t *Transaction) {
	slices.SortFunc(c.values, func(a, b *Value) int {
		if a.New != b.New {
			return map[bool]int{true: -1, false: 1}[a.New]
		}
		return cmp.Compare(a.index, b.index)
	})
	t.values = slices.Compact(c.values)
	for _, v := range t.values {
		if v.New {
			t.newIDs = append(t.newIDs, idsOf[v.IDs])
		}
	}
}

func (c *compiler) expectations(e *Expect, t *Transaction) (err error) {
	for _, status := range e.Status {
		if status < 200 || status > 599 {
			return fmt.Errorf("status: %d is not from 200 to 599", status)
		}
	}
	if e.Root != "" && !elementName.MatchString(e.Root) {
		return fmt.Errorf("root: %q is not the name of an element without its prefix", e.Root)
	}
	if e.Text != "" {
		t.key, err = c.template(e.Text, plain)
	}
	return err
}

// refusedHeaders are those that the driver sends itself.
var refusedHeaders = []string{"Host", "Content-Length", "Connection", "Transfer-Encoding", "Expect", "Upgrade"}

func (c *compiler) request(o *OwnRequest) (r request, err error) {
	r.method = o.Method
	if !slices.Contains(methods, o.Method) {
		return r, fmt.Errorf("the method is %q, but must be one of %s", o.Method, strings.Join(methods, ", "))
	}
	if !strings.HasPrefix(o.Path, "/") || strings.ContainsFunc(o.Path, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return r, fmt.Errorf("path: %q does not begin with /, or has characters that a URL has not", o.Path)
	}
	if r.path, err = c.template(o.Path, escaped); err != nil {
		return r, fmt.Errorf("path: %w", err)
	}
	if err := expand(&o.Body, c.read); err != nil {
		return r, fmt.Errorf("body: %w", err)
	}
	if r.body, err = c.template(o.Body, plain); err != nil {
		return r, fmt.Errorf("body: %w", err)
	}
	typed := false
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		value := o.Headers[name]
		if !headerName.MatchString(name) || strings.ContainsAny(value, "\r\n\x00") {
			return r, fmt.Errorf("headers: %q: %q is not a header", name, value)
		}
		if slices.Contains(refusedHeaders, http.CanonicalHeaderKey(name)) {
			return r, fmt.Errorf("headers: %s is for the driver to send", name)
		}
		typed = typed || http.CanonicalHeaderKey(name) == "Content-Type"
		before := len(c.values)
		text, err := c.template(value, plain)
		if err != nil {
			return r, err
		}
		for _, v := range c.values[before:] {
			if strings.ContainsAny(strings.Join(v.List, ""), "\r\n") {
				return r, fmt.Errorf("headers: a value of {%s} has a line break", v.name)
			}
		}
		r.headers = append(r.headers, header{http.CanonicalHeaderKey(name), text})
	}
	if o.Body != "" && !typed {
		r.headers = append(r.headers, header{"Content-Type", text(XML)})
	}
	return r, nil
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
			v, err := c.value(part)
			if err != nil {
				return nil, err
			}
			s.values = append(s.values, v)
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

// value returns the value of a marker, which the transaction needs from then on.
func (c *compiler) value(name string) (*Value, error) {
	v, ok := c.definition.Values[name]
	if !ok {
		return nil, fmt.Errorf("the marker {%s} has no value: values has %s", name,
			cmp.Or(strings.Join(slices.Sorted(maps.Keys(c.definition.Values)), ", "), "none"))
	}
	c.values = append(c.values, v)
	return v, nil
}

// template returns the template of a text with markers, and gap makes a gap for each.
func (c *compiler) template(text string, gap func(v *Value) gap) (*template, error) {
	t := &template{}
	for i, part := range split(text) {
		if i%2 == 0 {
			t.literals = append(t.literals, part)
			continue
		}
		v, err := c.value(part)
		if err != nil {
			return nil, err
		}
		t.gaps = append(t.gaps, gap(v))
	}
	return t, nil
}

// plain makes a gap that appends the value as it is.
func plain(v *Value) gap {
	return func(dst []byte, c *Call) []byte { return append(dst, c.values[v.index]...) }
}

// escaped makes a gap that appends the value with the escapes of a URL, for its path and its parameters.
func escaped(v *Value) gap {
	return func(dst []byte, c *Call) []byte {
		return append(dst, strings.ReplaceAll(url.QueryEscape(string(c.values[v.index])), "+", "%20")...)
	}
}

// drawOwn draws the values of an own transaction.
func (t *Transaction) drawOwn(u *User, c *Call) bool {
	for _, v := range t.values {
		value, ok := u.draws[v.index](c.values[v.index][:0])
		if !ok {
			return false
		}
		c.values[v.index] = value
	}
	return true
}

// accepts reports whether a status is one of a good answer.
func (t *Transaction) accepts(status int) bool {
	if len(t.statuses) == 0 {
		return status >= 200 && status <= 299
	}
	return slices.Contains(t.statuses, status)
}

// Fits returns an error if a transaction of the mix cannot run on an engine of a scheme, or over HTTP, which has none.
func (d *Definition) Fits(scheme string) error {
	for t := range d.running() {
		switch {
		case !t.own:
		case scheme == "" && t.request.path == nil:
			return fmt.Errorf("the transaction %s has no request, which a service needs", t.Name)
		case scheme != "" && len(t.scripts[scheme]) == 0:
			return fmt.Errorf("the transaction %s has no statements for %s", t.Name, scheme)
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

// RequireEnough returns an error if a sequence may end in a run of a number of transactions.
func (d *Definition) RequireEnough(transactions float64) error {
	for t := range d.running() {
		for _, v := range t.values {
			size := float64(v.size(&Population{}))
			if v.Distribution != Sequence || size >= transactions {
				continue
			}
			what := "range"
			if v.Range == nil {
				what = "list"
			}
			return fmt.Errorf("values.%s: the %s ends after %.0f values, and the run may need %.0f: --count N with --ramp 0s "+
				"needs N; %s begins again", v.name, what, size, transactions, Sequential)
		}
	}
	return nil
}
