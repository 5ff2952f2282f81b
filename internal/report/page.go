package report

import (
	"crypto/sha256"
	_ "embed" // for style and layout
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"brokerage/internal/format"
)

// page is the content of page.html: text, tables and charts.
type page struct {
	Title      string
	Subtitle   string
	Conclusion *conclusion // nil for a single run
	Banners    []banner
	Figures    []keyFigure
	Facts      []fact
	Sections   []section
	Source     string // the file that it was made from; empty for a comparison
	Style      template.CSS
	Policy     string
}

// banner is a warning at the top of the page.
type banner struct {
	Class   string // invalid, smoke, aside, verdict
	Word    string
	Text    string
	Reasons []string
}

// keyFigure is one of the few figures at the top of the page.
type keyFigure struct{ Name, Value, Unit, Aside string }

type fact struct{ Name, Text string }

// section is a part of the page that the list of contents names.
type section struct {
	ID     string // selects the title and the explanation in page.html
	Blocks []block
}

// block is charts and a table below a heading of their own.
type block struct {
	Title  string
	Note   string
	Charts template.HTML
	Table  *table
}

type table struct {
	Class   string
	Columns []column
	Rows    []row
}

type column struct {
	Head  string
	Class string // text, num, num strong
}

type row struct {
	Class string // total, group, kind, invalid, soft, differs
	Cells []cell
}

type cell struct {
	Text  string
	Aside string        // in smaller letters
	Draw  template.HTML // before the text
}

// newTable returns a table without rows. A column is "class:heading"; one without a class has numbers.
func newTable(columns ...string) *table {
	t := new(table)
	for _, text := range columns {
		class, head, found := strings.Cut(text, ":")
		if !found {
			class, head = "num", text
		}
		t.Columns = append(t.Columns, column{Class: class, Head: head})
	}
	return t
}

// A size in bytes and a time in microseconds, for the cells of a table.
type (
	size   float64
	micros float64
)

// add adds a row of a class: texts, counts and other figures, each formatted by its type.
func (t *table) add(class string, values ...any) {
	var cells []cell
	for _, value := range values {
		var c cell
		switch v := value.(type) {
		case cell:
			c = v
		case int:
			c.Text = format.Count(v)
		case int64:
			c.Text = format.Count(v)
		case float64:
			c.Text = format.Figure(v)
		case micros:
			c.Text = millis(float64(v))
		case size:
			c.Text = format.Bytes(v)
		default:
			c.Text = fmt.Sprint(v)
		}
		cells = append(cells, c)
	}
	t.Rows = append(t.Rows, row{class, cells})
}

// add adds the sections that have something to show. Blocks without a row and without a chart are left out, and
// sections without a block.
func (p *page) add(sections ...section) {
	for _, s := range sections {
		s.Blocks = slices.DeleteFunc(s.Blocks, func(b block) bool {
			return b.Charts == "" && (b.Table == nil || len(b.Table.Rows) == 0)
		})
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
}

//go:embed assets/page.html
var layout string

//go:embed assets/style.css
var style string

// write fills the template. The content security policy allows this one style sheet and nothing else, whatever a file
// of results contains.
func (p page) write(w io.Writer) error {
	sum := sha256.Sum256([]byte(style))
	p.Style = template.CSS(style) //nolint:gosec // it is our own, embedded
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
	return template.Must(template.New("page").Parse(layout)).Execute(w, p)
}
