package chart

import (
	"html/template"
	"math"
	"slices"
)

// Bar returns a bar for a cell of a table, from one share of the cell on. Its lengths are percentages, so it fits a
// column of any width.
func Bar(series int, from, length float64) template.HTML {
	from, length = share(from), share(length)
	var d drawing
	d.addf(`<svg class="bar" aria-hidden="true"><rect class="%v" x="%v%%" width="%v%%" height="100%%"/></svg>`,
		Class(series), 100*from, 100*max(min(length, 1-from), 0.003))
	return d.html()
}

// Pair returns two bars, one above the other: before, hollow, and now, filled.
func Pair(series int, before, now float64) template.HTML {
	var d drawing
	d.addf(`<svg class="bar" aria-hidden="true"><rect class="whole" y="1" width="%v%%" height="4"/><rect class="%v" `+
		`y="6.5" width="%v%%" height="5"/></svg>`, 100*share(before), Class(series), 100*share(now))
	return d.html()
}

func share(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return max(0, min(1, v))
}

// Logarithmic is a logarithmic scale, for values of which the greatest are hundreds of times the least.
type Logarithmic struct{ Min, Max float64 }

// LogScale returns the scale of the given values that are above 0. It begins and ends with 1, 2 or 5 times a power of
// ten.
func LogScale(values ...float64) Logarithmic {
	values = slices.DeleteFunc(values, func(v float64) bool { return v <= 0 })
	if len(values) == 0 {
		return Logarithmic{Min: 1, Max: 10}
	}
	l := Logarithmic{Min: roundBelow(slices.Min(values)), Max: roundAbove(slices.Max(values))}
	if l.Min == l.Max {
		l.Max *= 10
	}
	return l
}

func (l Logarithmic) at(v float64) float64 { return share(math.Log(v/l.Min) / math.Log(l.Max/l.Min)) }

// Ticks returns the powers of ten on the scale, and where these are few, also 2 and 5 times them.
func (l Logarithmic) Ticks() (all []float64) {
	factors := []float64{1}
	if l.Max < 99*l.Min {
		factors = []float64{1, 2, 5}
	}
	for power := math.Pow(10, math.Floor(math.Log10(l.Min)+1e-9)); power <= l.Max*(1+1e-9); power *= 10 {
		for _, factor := range factors {
			if v := factor * power; v >= l.Min*(1-1e-9) && v <= l.Max*(1+1e-9) {
				all = append(all, v)
			}
		}
	}
	return all
}

// Dots returns the values of one row on the scale, for a cell of a table, with a line from the first to the last. The
// first dot is hollow, the last is filled.
func (l Logarithmic) Dots(values ...float64) template.HTML {
	var d drawing
	d.addf(`<svg class="dots" aria-hidden="true">`)
	for _, v := range l.Ticks() {
		at := 100 * l.at(v)
		d.addf(`<line class="grid" x1="%v%%" x2="%v%%" y1="0" y2="100%%"/>`, at, at)
	}
	if len(values) > 0 {
		d.addf(`<line class="reach" x1="%v%%" x2="%v%%" y1="50%%" y2="50%%"/>`, 100*l.at(values[0]),
			100*l.at(values[len(values)-1]))
	}
	for i, v := range values {
		d.addf(`<circle class="p%d" cx="%v%%" cy="50%%" r="4"/>`, i+1, 100*l.at(v))
	}
	d.addf(`</svg>`)
	return d.html()
}

// Axis returns the figures over a column of Dots; where two would overlap, the greater one stays.
func (l Logarithmic) Axis(format func(float64) string) template.HTML {
	const label = .15 // about the share of the column that a figure takes
	var d drawing
	d.addf(`<svg class="dots axis" aria-hidden="true">`)
	free := math.Inf(1) // to the left of what has been written
	for _, v := range slices.Backward(l.Ticks()) {
		at := l.at(v)
		class, left := "tick x", at-label/2
		switch {
		case at < label/3:
			class, left = "tick", at
		case at > 1-label/3:
			class, left = "tick y", at-label
		}
		if left+label <= free {
			free = left
			d.addf(`<text class="%v" x="%v%%" y="12">%v</text>`, class, 100*at, format(v))
		}
	}
	d.addf(`</svg>`)
	return d.html()
}
