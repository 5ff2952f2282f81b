// Package compare compares internal/xmldoc with the libraries that could do its
// work: the same documents, the same tasks, and the results checked for
// equality before anything is timed. It holds tests and benchmarks only.
//
// It is a module of its own, so that the candidates stay out of the main
// module: `go test ./...` there does not see it. To repeat the comparison:
//
//	cd internal/xmldoc/compare
//	go test -v -run 'Refused|Kept'      # who refuses or damages what
//	go test -run '^$' -bench . -benchmem -count 7
//
// Decision record 0003 has the figures and what follows from them.
package compare
