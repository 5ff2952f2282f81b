package chart

import (
	"html/template"
	"math"
	"slices"
)

// Spread is a chart of marks over time, of changes or of paired values. Unlike that of Lines, its vertical axis begins
// where the values do, because small differences are its subject. Its series have their marks at the same times; those
// of two series are joined at each time.
type Spread struct {
	Lines

	// Reach is drawn as an area between Low and High, with a line at Y; nil for none.
	Reach []Point
	// Band is a range of the vertical axis that is shaded, such as a tolerance; empty for none.
	Band [2]float64
}

// HTML returns the chart in all its sizes.
func (s Spread) HTML() template.HTML { return inSizes(s.draw) }

func (s Spread) draw(class string, width, height float64) template.HTML {
	var d drawing
	s.begin(&d, class, width, height)
	least, most, last := s.extent()
	yTicks, xTicks := ticks(least, most, 6), ticks(0, last, 6)
	y := axis{min: yTicks[0], max: yTicks[len(yTicks)-1], from: height - 38, to: s.legend(&d, width)}
	x := axis{max: xTicks[len(xTicks)-1], from: widest(yTicks, s.FormatY) + 8, to: width - 16}
	if low, high := y.at(s.Band[0]), y.at(s.Band[1]); s.Band[0] != s.Band[1] {
		d.shape("polygon", "band", x.from, low, x.to, low, x.to, high, x.from, high)
	}
	s.axes(&d, x, y, xTicks, yTicks)
	s.marks(&d, x, y)
	d.addf(`</svg>`)
	return d.html()
}

// extent returns the values that the axes must show. A few values far from all others are left out of the vertical
// axis, and drawn at its end.
func (s Spread) extent() (least, most, last float64) {
	var values []float64
	for _, series := range s.Series {
		for _, p := range series.Points {
			values, last = append(values, p.Y), max(last, p.X)
		}
	}
	least, most = inner(values)
	if s.Band[0] != s.Band[1] {
		least, most = min(least, s.Band[0]), max(most, s.Band[1])
	}
	if n := len(s.Reach); n > 0 {
		least, most = min(least, s.Reach[n-1].Low), max(most, s.Reach[n-1].High)
		last = max(last, s.Reach[n-1].X)
	}
	return least, most, last
}

// marks draws the area and the marks.
func (s Spread) marks(d *drawing, x, y axis) {
	var area, line []float64
	for _, p := range s.Reach {
		area, line = append(area, x.at(p.X), y.at(p.Low)), append(line, x.at(p.X), y.at(p.Y))
	}
	for _, p := range slices.Backward(s.Reach) {
		area = append(area, x.at(p.X), y.at(p.High))
	}
	if len(s.Reach) > 1 {
		d.shape("polygon", "area", area...)
		d.shape("polyline", "middle", line...)
	}
	if len(s.Series) == 2 {
		for i, p := range s.Series[0].Points {
			d.line("leader", x.at(p.X), y.at(p.Y), x.at(p.X), y.at(s.Series[1].Points[i].Y))
		}
	}
	for _, series := range s.Series {
		for _, p := range series.Points {
			d.mark(series.Slot, x.at(p.X), y.at(p.Y))
		}
	}
}

// inner returns the range of values without those that are more than three times as far from the middle half as it is
// wide.
func inner(values []float64) (least, most float64) {
	if len(values) == 0 {
		return 0, 0
	}
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
