package chart

import (
	"html/template"
	"math"
	"slices"
)

// Spread is a chart of marks over time, of changes or of paired values. Unlike that of Lines, its vertical axis begins
// where the values do, because small differences are its subject.
type Spread struct {
	Title string // for screen readers
	X, Y  string // what the axes are, with their units
	// Series have their marks at the same times. Those of two series are joined at each time.
	Series []Series
	// Reach is drawn as an area between Low and High, with a line at Y; nil for none.
	Reach []Point
	// Band is a range of the vertical axis that is shaded, such as a tolerance; empty for none.
	Band             [2]float64
	FormatX, FormatY func(float64) string
}

// HTML returns the chart in all its sizes.
func (s Spread) HTML() (all template.HTML) {
	for _, size := range sizes {
		all += s.draw(size.class, size.width, size.height)
	}
	return all
}

func (s Spread) draw(class string, width, height float64) template.HTML {
	var d drawing
	d.addf(`<svg class="%v" viewBox="0 0 %v %v" role="img" aria-label="%v">`, class, width, height, s.Title)
	least, most, last := s.extent()
	step := roundAbove((most - least) / 6)
	least, most = math.Floor(least/step)*step, math.Ceil(most/step)*step
	var yTicks []float64
	for v := least; v <= most+step/2; v += step {
		yTicks = append(yTicks, math.Round(v/step)*step)
	}
	top := 26.0
	if len(s.Series) > 1 {
		top += Lines{Series: s.Series}.legend(&d, width)
	}
	y := func(v float64) float64 { return height - 38 + (v-least)/(most-least)*(top-height+38) }
	xTicks := ticks(last, 6)
	x := axis{max: max(last, xTicks[len(xTicks)-1]), from: widest(yTicks, s.FormatY) + 8, to: width - 16}

	if s.Band[0] != s.Band[1] {
		d.shape("polygon", "band", x.from, y(s.Band[0]), x.to, y(s.Band[0]), x.to, y(s.Band[1]), x.from, y(s.Band[1]))
	}
	d.text("axis-name", 0, 12, s.Y)
	for _, v := range yTicks {
		line := "grid"
		if v == 0 || v == least {
			line = "base"
		}
		d.line(line, x.from, y(v), x.to, y(v))
		d.text("tick y", x.from-6, y(v)+4, s.FormatY(v))
	}
	for _, v := range thin(xTicks, x, widest(xTicks, s.FormatX)+8) {
		d.text("tick x", x.at(v), y(least)+18, s.FormatX(v))
	}
	d.text("axis-name end", x.to, y(least)+34, s.X)
	s.marks(&d, x, func(v float64) float64 { return y(min(max(v, least), most)) })
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
	if !(most > least) {
		least, most = least-1, least+1
	}
	return least, most, last
}

// marks draws the area and the marks.
func (s Spread) marks(d *drawing, x axis, y func(float64) float64) {
	var area, line []float64
	for _, p := range s.Reach {
		area, line = append(area, x.at(p.X), y(p.Low)), append(line, x.at(p.X), y(p.Y))
	}
	for i := len(s.Reach) - 1; i >= 0; i-- {
		area = append(area, x.at(s.Reach[i].X), y(s.Reach[i].High))
	}
	if len(s.Reach) > 1 {
		d.shape("polygon", "area", area...)
		d.shape("polyline", "middle", line...)
	}
	if len(s.Series) == 2 {
		for i, p := range s.Series[0].Points {
			d.line("leader", x.at(p.X), y(p.Y), x.at(p.X), y(s.Series[1].Points[i].Y))
		}
	}
	for _, series := range s.Series {
		for _, p := range series.Points {
			d.mark(series.Slot, x.at(p.X), y(p.Y))
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
