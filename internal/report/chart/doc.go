// Package chart draws the charts of a report as SVG for an HTML page.
//
// It sets the positions of shapes and leaves their look to the page's style sheet: every shape has a class and no
// colour, so that one chart is right on a light screen, on a dark one and on paper. There are no style attributes,
// which a strict content security policy refuses. Series differ by their mark as well as by their colour, and have
// their name at their end, for readers who do not see colours and for black printers. Decision 0013 says why this is
// not a library.
package chart
