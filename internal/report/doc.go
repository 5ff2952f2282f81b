// Package report writes the results of runs and campaigns as HTML pages, and compares two results.
//
// A page is one file without network requests, scripts or fonts. It shows what the file of results holds; a section
// without data is left out. A figure that was measured more than once is a median with its range, and always comes with
// the warnings of its runs. Ratios and medians are computed here; all other figures are from the file, except for those
// of the TPoX papers in published.go.
package report
