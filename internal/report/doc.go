// Package report writes the results of runs and campaigns as HTML pages, and shows two results side by side.
//
// A page is one file without network requests, scripts or fonts. It shows what the file of results holds; a section
// without data is left out. Figures always come with the warnings of their runs. Ratios and sums are computed here; all
// other figures are from the file, except for those of the TPoX papers in published_data.go. The template has the
// titles of the sections and how to read them.
package report
