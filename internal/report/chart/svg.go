package chart

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// drawing builds an SVG from numbers, names of classes and escaped text.
type drawing struct{ strings.Builder }

func (d *drawing) addf(format string, args ...any) { fmt.Fprintf(&d.Builder, format, args...) }

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.addf(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, num(x1), num(y1), num(x2), num(y2))
}

func (d *drawing) text(class string, x, y float64, text string) {
	d.addf(`<text class="%s" x="%s" y="%s">%s</text>`, class, num(x), num(y), template.HTMLEscapeString(text))
}

// mark draws the mark of a series. Each of five series has its own shape, so that a chart can be read without colour.
func (d *drawing) mark(series int, x, y float64) {
	const r = 3.5
	class := "mark " + Class(series)
	switch series % 5 {
	case 0:
		d.addf(`<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, num(x), num(y), num(r))
	case 1:
		d.addf(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, num(x-r), num(y-r), num(2*r), num(2*r))
	case 2:
		d.polygon(class, x, y-r-1, x+r+.8, y+r, x-r-.8, y+r)
	case 3:
		d.polygon(class, x, y-r-1.2, x+r+1.2, y, x, y+r+1.2, x-r-1.2, y)
	default:
		d.polygon(class, x, y+r+1, x+r+.8, y-r, x-r-.8, y-r)
	}
}

func (d *drawing) polygon(class string, xy ...float64) {
	d.addf(`<polygon class="%s" points="%s"/>`, class, points(xy))
}

// html returns the drawing in its frame, which scales with the page. The title is for screen readers.
func (d *drawing) html(class, title string, width, height float64) template.HTML {
	var frame drawing
	frame.addf(`<svg class="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`, class, num(width), num(height),
		template.HTMLEscapeString(title), d.String())
	return frame.inner()
}

// inner returns the drawing without a frame.
func (d *drawing) inner() template.HTML {
	return template.HTML(d.String()) //nolint:gosec // see drawing
}

// Class returns the class of a series, counted from 0, from which the style sheet takes its colour.
func Class(series int) string { return "s" + strconv.Itoa(series%colours+1) }

// colours is the number of colours in the style sheet.
const colours = 6

func points(xy []float64) string {
	var b strings.Builder
	for i := 0; i < len(xy); i += 2 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(num(xy[i]) + "," + num(xy[i+1]))
	}
	return b.String()
}

// num writes a coordinate to a tenth of a pixel.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

// textWidth estimates the width of a text. The browser's font is not known, so it assumes a wide one.
func textWidth(text string) float64 { return 6.9 * float64(len([]rune(text))) }

// Swatch returns the mark of a series, as a key in a table.
func Swatch(series int) template.HTML {
	var d drawing
	d.addf(`<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true">`)
	d.mark(series, 6, 6)
	d.addf(`</svg>`)
	return d.inner()
}
