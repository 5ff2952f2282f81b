package chart

import (
	"html/template"
	"math"
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

func share(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return max(0, min(1, v))
}
