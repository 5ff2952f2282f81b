// Package chart draws the charts of a report as SVG for an HTML page.
//
// It sets the positions of shapes and leaves their look to the page's style sheet: every shape has a class and no
// colour, so that one chart works on light and dark screens and on paper. There are no style attributes, which a strict
// content security policy refuses. Series differ by their mark as well as by their colour, for colour-blind readers
// and for black-and-white printers. Decision 0013 says why no library is used.
package chart

import (
	"html/template"
	"math"
	"slices"
)

// Chart is one or more series over one horizontal axis. Both axes begin at 0, so that a rise by a tenth looks like one,
// except for the vertical axis of a Scattered chart.
type Chart struct {
	Title  string
	X, Y   string // what the axes are, with their units
	Series []Series
	// XTicks are the values to name on the horizontal axis, if the measured ones are more useful there than round ones.
	XTicks []float64
	// Most is a value that the vertical axis always reaches: 100 for a percentage.
	Most float64

	// Scattered leaves out the lines between points. The vertical axis then begins where the values do, because small
	// differences are the subject.
	Scattered bool
	// Reach is drawn as an area between Low and High, with a line at Y.
	Reach []Point
	// Band is half the height of a shaded range around 0 of the vertical axis, such as a tolerance; 0 for none.
	Band float64
}

// Series is a line, or its marks alone. A single one needs no Name. Its Slot determines colour and mark, which are the
// same in all charts of a page.
type Series struct {
	Name   string
	Slot   int
	Points []Point
}

// Point is a measured value, with an interval where there is one.
type Point struct{ X, Y, Low, High float64 }

// HTML returns the chart as a figure, or "" when there are no points. It has a drawing for a wide page and
// one for a phone. The style sheet shows one of them, since letters that fit the page are unreadable on the phone.
func (c Chart) HTML() template.HTML {
	c.Series = slices.DeleteFunc(c.Series, func(s Series) bool { return len(s.Points) == 0 })
	if len(c.Series) == 0 {
		return ""
	}
	var d drawing
	d.addf(`<figure><figcaption>%v</figcaption>`, c.Title)
	c.draw(&d, "chart wide", 720, 280)
	c.draw(&d, "chart narrow", 340, 240)
	d.addf("</figure>\n")
	return d.html()
}

func (c Chart) draw(d *drawing, class string, width, height float64) {
	d.addf(`<svg class="%v" viewBox="0 0 %v %v" role="img" aria-label="%v">`, class, width, height, c.Title)
	top := c.legend(d, width)
	least, most, last := c.extent()
	yTicks := ticks(least, most, max(int((height-top)/44), 1))
	y := axis{min: yTicks[0], max: yTicks[len(yTicks)-1], from: height - 38, to: top}
	xTicks := c.XTicks
	if xTicks == nil {
		xTicks = ticks(0, last, 6)
		last = xTicks[len(xTicks)-1]
	}
	x := axis{max: last, from: widest(yTicks) + 8, to: width - 16}

	if low, high := y.at(-c.Band), y.at(c.Band); c.Band > 0 {
		d.shape("polygon", "band", x.from, low, x.to, low, x.to, high, x.from, high)
	}
	d.text("axis-name", 0, 12, c.Y)
	for _, v := range yTicks {
		class := "grid"
		if v == 0 || v == yTicks[0] {
			class = "base"
		}
		d.line(class, x.from, y.at(v), x.to, y.at(v))
		d.text("tick y", x.from-6, y.at(v)+4, figure(v))
	}
	for _, v := range thin(xTicks, x, widest(xTicks)+8) {
		d.line("base", x.at(v), y.from, x.at(v), y.from+4)
		d.text("tick x", x.at(v), y.from+18, figure(v))
	}
	d.text("axis-name end", x.to, y.from+34, c.X)
	c.drawReach(d, x, y)
	for _, s := range c.Series {
		c.drawSeries(d, x, y, s)
	}
	d.addf(`</svg>`)
}

// legend writes the names of the series above the chart, and returns where the chart begins.
func (c Chart) legend(d *drawing, width float64) (top float64) {
	const markRoom, rowHeight = 12, 16
	if c.Series[0].Name == "" {
		return 26
	}
	x, y := 0.0, 32.0
	for _, s := range c.Series {
		needs := textWidth(s.Name) + 2*markRoom + 8
		if x > 0 && x+needs > width {
			x, y = 0, y+rowHeight
		}
		d.mark(s.Slot, x+5, y-4)
		d.text("name "+slotClass(s.Slot), x+markRoom+3, y, s.Name)
		x += needs
	}
	return y + 14
}

// extent returns the values that the axes must show.
func (c Chart) extent() (least, most, last float64) {
	var values []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			values, last = append(values, p.Y), max(last, p.X)
		}
	}
	if !c.Scattered {
		return 0, max(c.Most, slices.Max(values)), last
	}
	least, most = inner(values)
	if c.Band > 0 {
		least, most = min(least, -c.Band), max(most, c.Band)
	}
	if n := len(c.Reach); n > 0 { // the last interval is the narrowest
		least, most = min(least, c.Reach[n-1].Low), max(most, c.Reach[n-1].High)
	}
	return least, most, last
}

// inner returns the range of the values without outliers, which are drawn at the end of the axis. An outlier is
// farther from the middle half of the values than three times that half's width.
func inner(values []float64) (least, most float64) {
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[len(sorted)/4], sorted[len(sorted)*3/4]
	reach := 3 * (high - low)
	least, most = math.Inf(1), math.Inf(-1)
	for _, v := range sorted {
		if v >= low-reach && v <= high+reach {
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}

func (c Chart) drawReach(d *drawing, x, y axis) {
	var area, middle []float64
	for _, p := range c.Reach {
		area, middle = append(area, x.at(p.X), y.at(p.Low)), append(middle, x.at(p.X), y.at(p.Y))
	}
	for _, p := range slices.Backward(c.Reach) {
		area = append(area, x.at(p.X), y.at(p.High))
	}
	if len(c.Reach) > 1 {
		d.shape("polygon", "area", area...)
		d.shape("polyline", "middle", middle...)
	}
}

func (c Chart) drawSeries(d *drawing, x, y axis, s Series) {
	const fewPoints = 40 // more are a line without marks
	var xy []float64
	for _, p := range s.Points {
		xy = append(xy, x.at(p.X), y.at(p.Y))
	}
	if !c.Scattered {
		d.shape("polyline", "line "+slotClass(s.Slot), xy...)
	}
	if c.Scattered || len(s.Points) <= fewPoints {
		for i := 0; i < len(xy); i += 2 {
			d.mark(s.Slot, xy[i], xy[i+1])
		}
	}
}
