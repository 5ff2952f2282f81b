// Package chart draws the charts of a report as SVG for an HTML page.
//
// It sets the positions of shapes and leaves their look to the page's style sheet: every shape has a class and no
// colour, so that one chart works on light and dark screens and on paper. There are no style attributes, which a strict
// content security policy refuses. Series differ by their mark as well as by their colour, for readers who do not see
// colours and for black printers. Decision 0013 says why this is not a library.
package chart

import (
	"html/template"
)

// Lines is a chart of one or more series over one horizontal axis. Both axes begin at 0, so that a rise by a tenth
// looks like one.
type Lines struct {
	Title  string // for screen readers
	X, Y   string // what the axes are, with their units
	Series []Series
	// XTicks are the values to name on the horizontal axis, if the measured ones are more useful there than round ones.
	XTicks []float64
	// Most is the least height of the vertical axis: 100 for a percentage.
	Most float64
	// FormatX and FormatY write the figures at the axes.
	FormatX, FormatY func(float64) string
}

// Series is a line. A single one needs no Name. Its Slot determines colour and mark, which are the same in all charts
// of a page.
type Series struct {
	Name   string
	Slot   int
	Points []Point
}

// Point is a measured value, with an interval where there is one.
type Point struct{ X, Y, Low, High float64 }

type size struct {
	class         string
	width, height float64
}

// sizes are the sizes of a chart, for a wide page and for a phone. The style sheet shows one of them, since letters of
// a size that is right on one would be unreadable on the other.
var sizes = []size{{"chart wide", 720, 280}, {"chart narrow", 340, 240}}

const (
	markRoom  = 12
	fewPoints = 40 // more are a line without marks
)

// HTML returns the chart in all its sizes.
func (l Lines) HTML() template.HTML { return inSizes(l.draw) }

func inSizes(draw func(class string, width, height float64) template.HTML) (all template.HTML) {
	for _, s := range sizes {
		all += draw(s.class, s.width, s.height)
	}
	return all
}

func (l Lines) begin(d *drawing, class string, width, height float64) {
	d.addf(`<svg class="%v" viewBox="0 0 %v %v" role="img" aria-label="%v">`, class, width, height, l.Title)
}

func (l Lines) draw(class string, width, height float64) template.HTML {
	var d drawing
	l.begin(&d, class, width, height)
	most, last := l.Most, 0.0
	for _, s := range l.Series {
		for _, p := range s.Points {
			most, last = max(most, p.Y), max(last, p.X)
		}
	}
	top := l.legend(&d, width)
	yTicks := ticks(0, most, max(int((height-top)/44), 1))
	y := axis{max: yTicks[len(yTicks)-1], from: height - 38, to: top}
	xTicks := l.XTicks
	if xTicks == nil {
		xTicks = ticks(0, last, 6) // thin leaves out those without room
		last = max(last, xTicks[len(xTicks)-1])
	}
	x := axis{max: last, from: widest(yTicks, l.FormatY) + 8, to: width - 16}

	l.axes(&d, x, y, xTicks, yTicks)
	for _, s := range l.Series {
		s.draw(&d, x, y)
	}
	d.addf(`</svg>`)
	return d.html()
}

// widest returns the width of the widest figure at an axis.
func widest(ticks []float64, format func(float64) string) (width float64) {
	for _, v := range ticks {
		width = max(width, textWidth(format(v)))
	}
	return width
}

// axes draws the axes, the grid and the ticks with their figures.
func (l Lines) axes(d *drawing, x, y axis, xTicks, yTicks []float64) {
	d.text("axis-name", 0, 12, l.Y)
	for _, v := range yTicks {
		class := "grid"
		if v == 0 || v == yTicks[0] {
			class = "base"
		}
		d.line(class, x.from, y.at(v), x.to, y.at(v))
		d.text("tick y", x.from-6, y.at(v)+4, l.FormatY(v))
	}
	for _, v := range thin(xTicks, x, widest(xTicks, l.FormatX)+8) {
		d.line("base", x.at(v), y.from, x.at(v), y.from+4)
		d.text("tick x", x.at(v), y.from+18, l.FormatX(v))
	}
	d.text("axis-name end", x.to, y.from+34, l.X)
}

func (s Series) draw(d *drawing, x, y axis) {
	var xy []float64
	for _, p := range s.Points {
		xy = append(xy, x.at(p.X), y.at(p.Y))
	}
	d.shape("polyline", "line "+Class(s.Slot), xy...)
	if len(s.Points) > fewPoints {
		return
	}
	for _, p := range s.Points {
		d.mark(s.Slot, x.at(p.X), y.at(p.Y))
	}
}

// legend writes the names of the series above the chart, and returns where the chart begins.
func (l Lines) legend(d *drawing, width float64) (top float64) {
	const rowHeight = 16 // of text
	if len(l.Series) == 0 || l.Series[0].Name == "" {
		return 26
	}
	x, y := 0.0, 32.0
	for _, s := range l.Series {
		needs := textWidth(s.Name) + 2*markRoom + 8
		if x > 0 && x+needs > width {
			x, y = 0, y+rowHeight
		}
		d.mark(s.Slot, x+5, y-4)
		d.text("name "+Class(s.Slot), x+markRoom+3, y, s.Name)
		x += needs
	}
	return y + 14
}
