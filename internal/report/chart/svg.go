package chart

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode/utf8"
)

// drawing builds an SVG from numbers, names of classes and texts.
type drawing struct{ strings.Builder }

// addf adds elements, whose values are all %v. It escapes texts, and writes numbers to a tenth of a pixel.
func (d *drawing) addf(format string, args ...any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case float64:
			args[i] = num(v)
		case string:
			args[i] = template.HTMLEscapeString(v)
		}
	}
	fmt.Fprintf(&d.Builder, format, args...)
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.addf(`<line class="%v" x1="%v" y1="%v" x2="%v" y2="%v"/>`, class, x1, y1, x2, y2)
}

func (d *drawing) text(class string, x, y float64, text string) {
	d.addf(`<text class="%v" x="%v" y="%v">%v</text>`, class, x, y, text)
}

// mark draws the mark of a series. Each of five series has its own shape, so that a chart can be read without colour.
func (d *drawing) mark(series int, x, y float64) {
	const r = 3.5
	class := "mark " + slotClass(series)
	switch series % 5 {
	case 0:
		d.addf(`<circle class="%v" cx="%v" cy="%v" r="%v"/>`, class, x, y, r)
	case 1:
		d.addf(`<rect class="%v" x="%v" y="%v" width="%v" height="%v"/>`, class, x-r, y-r, 2*r, 2*r)
	case 2:
		d.shape("polygon", class, x, y-r-1, x+r+.8, y+r, x-r-.8, y+r)
	case 3:
		d.shape("polygon", class, x, y-r-1.2, x+r+1.2, y, x, y+r+1.2, x-r-1.2, y)
	default:
		d.shape("polygon", class, x, y+r+1, x+r+.8, y-r, x-r-.8, y-r)
	}
}

// shape draws an element of points, given as x and y of each.
func (d *drawing) shape(element, class string, xy ...float64) {
	var points []string
	for i := 0; i < len(xy); i += 2 {
		points = append(points, num(xy[i])+","+num(xy[i+1]))
	}
	d.addf(`<%v class="%v" points="%v"/>`, element, class, strings.Join(points, " "))
}

// html returns the drawing.
func (d *drawing) html() template.HTML {
	return template.HTML(d.String()) //nolint:gosec // see drawing
}

// slotClass returns the class of a series, counted from 0, from which the style sheet takes its colour.
func slotClass(series int) string {
	const colours = 6 // in the style sheet
	return "s" + strconv.Itoa(series%colours+1)
}

// num writes a coordinate to a tenth of a pixel.
func num(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }

// textWidth estimates the width of a text. The browser's font is not known, so it assumes a wide one.
func textWidth(text string) float64 { return 6.9 * float64(utf8.RuneCountInString(text)) }

// Swatch returns the mark of a series, as a key in a table.
func Swatch(series int) template.HTML {
	var d drawing
	d.addf(`<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true">`)
	d.mark(series, 6, 6)
	d.addf(`</svg>`)
	return d.html()
}
