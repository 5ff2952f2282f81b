package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
	"brokerage/internal/store"
	"brokerage/internal/store/bulk"
)

// writeSpace shows what documents, so many bytes of them, take in a database: a kind in proportion to its own bytes,
// what belongs to all of them to all.
func writeSpace(out io.Writer, documents, raw [len(dataset.Kinds)]int64, space bulk.Space) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name, documents, raw string, stored, of int64) {
		share := ""
		if of > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(stored)/float64(of))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", name, documents, raw, format.Bytes(stored), share)
	}
	fmt.Fprint(w, "\tdocuments\traw\tstored\tof raw\t\n")
	for _, k := range dataset.Kinds {
		row(k.String(), format.Count(documents[k]), format.Bytes(raw[k]), space.Stored[k], raw[k])
	}
	all := sum(raw)
	for _, index := range space.Indexes {
		row(index.Name, "", "", index.Bytes, all)
	}
	row("the rest", "", "", space.Rest, all)
	row("total", format.Count(sum(documents)), format.Bytes(all), space.File, all)
	return w.Flush()
}

// freeBytes is how much may still be written where path is.
func freeBytes(path string) (free float64, known bool) {
	free, _, known = store.DiskSpace(path)
	return free, known
}
