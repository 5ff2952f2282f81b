// Package report turns the results of runs and campaigns into pages, and compares two of them.
//
// A page is one file that asks for nothing else: no network, no script, no font. It shows what the file holds and
// leaves out what it does not: a section without data is not there. A figure that was measured more than once is a
// median with its range, and never stands without the stamps of the runs it comes from. What can be worked out (ratios,
// medians) is worked out here, from what was recorded; nothing is looked up elsewhere but the published figures, which
// are in published.go.
package report
