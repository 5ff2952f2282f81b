package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// page is what page.html is filled with. It knows nothing of runs and campaigns: text, tables and charts.
type page struct {
	Title    string
	Subtitle string
	Banners  []banner
	Figures  []keyFigure
	Facts    []fact
	Sections []section
	Sources  []string // the files it was made from
	Style    template.CSS
	Policy   string
}

// banner is a stamp that nobody shall overlook.
type banner struct {
	Class   string // invalid, smoke, aside
	Word    string
	Text    string
	Reasons []string
}

// keyFigure is one of the few that a reader looks for first.
type keyFigure struct{ Name, Value, Unit, Aside string }

type fact struct{ Name, Text string }

// section is a part of the page with its place in the list of contents.
type section struct {
	ID, Title string
	Lead      string // how to read it
	Blocks    []block
}

// block is a chart, a table, or both, below a heading of its own.
type block struct {
	Title  string
	Note   string
	Charts []figureView
	Table  *table
	After  string // what stands below: the fine print
}

type figureView struct {
	Caption string
	Drawing template.HTML
}

type table struct {
	Label   string // for those who cannot see the heading
	Class   string
	Columns []column
	Rows    []row
}

type column struct {
	Head  string
	Class string // text, num, bar
}

type row struct {
	Class string // total, group, invalid
	Cells []cell
}

type cell struct {
	Text  string
	Aside string // smaller, behind or below
	Draw  template.HTML
	Class string
}

func (t *table) add(class string, cells ...cell) { t.Rows = append(t.Rows, row{class, cells}) }

// texts are cells without more.
func texts(values ...string) []cell {
	cells := make([]cell, len(values))
	for i, v := range values {
		cells[i].Text = v
	}
	return cells
}

// columns reads "text:transaction", "num:count", "bar:" as columns.
func columns(heads ...[2]string) []column {
	all := make([]column, len(heads))
	for i, h := range heads {
		all[i] = column{Class: h[0], Head: h[1]}
	}
	return all
}

//go:embed assets
var assets embed.FS

// write fills the page. The policy allows this one style sheet and nothing else, whatever a file of results may have in
// it.
func (p page) write(w io.Writer) error {
	style, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return err
	}
	layout, err := template.New("page.html").ParseFS(assets, "assets/page.html")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(style)
	p.Style = template.CSS(style) //nolint:gosec // it is our own, embedded
	p.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	var html bytes.Buffer
	if err := layout.Execute(&html, p); err != nil {
		return fmt.Errorf("making the page: %w", err)
	}
	_, err = w.Write(html.Bytes())
	return err
}
