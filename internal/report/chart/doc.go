// Package chart draws the charts of a report as SVG that stands inside an HTML page.
//
// It gives shapes their place and leaves how they look to the page's style sheet: every shape has a class and no
// colour, so that one chart is right on a light screen, on a dark one and on paper. Nothing is styled by a style
// attribute, which a strict content security policy refuses. Series differ by their mark as well as by their colour,
// and carry their name at their end: a reader who does not see the colours, or has a black printer, misses nothing. Why
// this is no library's work is decision 0013.
package chart
