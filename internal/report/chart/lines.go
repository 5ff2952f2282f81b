package chart

import (
	"cmp"
	"html/template"
	"slices"
)

// Lines is a chart of one or more series over one horizontal axis. Both axes begin at 0, so that a rise by a tenth
// looks like one.
type Lines struct {
	Title  string // for those who hear it
	X, Y   string // what the axes are, with their units
	Series []Series
	// XTicks are the values to name on the horizontal axis, where the measured ones say more than round ones.
	XTicks []float64
	// Most is the least height of the vertical axis: 100 for a percentage.
	Most float64
	// FormatX and FormatY write the figures at the axes.
	FormatX, FormatY func(float64) string
}

// Series is a line. Its Slot determines colour and mark, which are the same in all charts of a page.
type Series struct {
	Name   string
	Slot   int
	Points []Point
}

// Point is a measured value. Low and High are the range of the repeats.
type Point struct{ X, Y, Low, High float64 }

// sizes are the sizes of a chart, for a wide page and for a phone. The style sheet shows one of them, since letters of
// a size that is right on one would be unreadable on the other.
var sizes = []struct {
	class         string
	width, height float64
}{{"chart wide", 720, 280}, {"chart narrow", 340, 240}}

const (
	rowHeight = 16 // of text
	markRoom  = 12
	fewPoints = 40 // more are a line without marks
)

// HTML returns the chart in all sizes.
func (l Lines) HTML() template.HTML {
	var all template.HTML
	for _, s := range sizes {
		all += l.draw(s.class, s.width, s.height)
	}
	return all
}

func (l Lines) draw(class string, width, height float64) template.HTML {
	var d drawing
	top := 26.0
	right := 12.0
	names := 0.0
	for _, s := range l.Series {
		names = max(names, textWidth(s.Name)+markRoom)
	}
	direct := names <= width*.3
	if direct {
		right = names + 6
	} else {
		top += l.legend(&d, width)
	}

	most, last := l.Most, 0.0
	for _, s := range l.Series {
		for _, p := range s.Points {
			most, last = max(most, p.Y, p.High), max(last, p.X)
		}
	}
	yTicks := ticks(most, int((height-top)/44))
	left := 0.0
	for _, v := range yTicks {
		left = max(left, textWidth(l.FormatY(v))+8)
	}
	y := axis{max: yTicks[len(yTicks)-1], from: height - 38, to: top}
	xTicks := l.XTicks
	if xTicks == nil {
		xTicks = ticks(last, 6)
		last = max(last, xTicks[len(xTicks)-1])
	}
	x := axis{max: last, from: left, to: width - right}

	l.axes(&d, x, y, xTicks, yTicks)
	for _, s := range l.Series {
		s.draw(&d, x, y)
	}
	if direct {
		l.label(&d, x, y)
	}
	return d.html(class, l.Title, width, height)
}

// axes draws the axes, the grid and the ticks with their figures.
func (l Lines) axes(d *drawing, x, y axis, xTicks, yTicks []float64) {
	d.text("axis-name", 0, 12, l.Y)
	for _, v := range yTicks {
		class := "grid"
		if v == 0 {
			class = "base"
		}
		d.line(class, x.from, y.at(v), x.to, y.at(v))
		d.text("tick y", x.from-6, y.at(v)+4, l.FormatY(v))
	}
	widest := 0.0
	for _, v := range xTicks {
		widest = max(widest, textWidth(l.FormatX(v)))
	}
	for _, v := range thin(xTicks, x, widest+8) {
		d.line("base", x.at(v), y.from, x.at(v), y.from+4)
		d.text("tick x", x.at(v), y.from+18, l.FormatX(v))
	}
	d.text("axis-name end", x.to, y.from+34, l.X)
}

func (s Series) draw(d *drawing, x, y axis) {
	class := Class(s.Slot)
	xy := make([]float64, 0, 2*len(s.Points))
	for _, p := range s.Points {
		xy = append(xy, x.at(p.X), y.at(p.Y))
		if p.High > p.Low {
			d.line("range "+class, x.at(p.X), y.at(p.Low), x.at(p.X), y.at(p.High))
		}
	}
	d.addf(`<polyline class="line %s" points="%s"/>`, class, points(xy))
	if len(s.Points) > fewPoints {
		return
	}
	for _, p := range s.Points {
		d.mark(s.Slot, x.at(p.X), y.at(p.Y))
	}
}

// label writes the names of the series at their ends, moved apart where they would overlap.
func (l Lines) label(d *drawing, x, y axis) {
	ends := slices.DeleteFunc(slices.Clone(l.Series), func(s Series) bool { return len(s.Points) == 0 })
	height := func(s Series) float64 { return y.at(s.Points[len(s.Points)-1].Y) }
	slices.SortStableFunc(ends, func(a, b Series) int { return cmp.Compare(height(a), height(b)) })
	positions := make([]float64, len(ends))
	for i, s := range ends {
		positions[i] = height(s)
	}
	for i, at := range spread(positions, y.to, y.from) {
		s := ends[i]
		end := x.at(s.Points[len(s.Points)-1].X)
		if at != positions[i] || end < x.to {
			d.line("leader", end+5, positions[i], x.to+8, at)
		}
		d.text("name "+Class(s.Slot), x.to+markRoom, at+4, s.Name)
	}
}

// legend writes the names of the series above the chart, and returns its height. It is for names that do not fit beside
// the chart.
func (l Lines) legend(d *drawing, width float64) float64 {
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
	return y - 12
}
