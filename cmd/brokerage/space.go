package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
	"brokerage/internal/store"
)

// writeSpace prints a table of the space that documents take in a database. The percentage of a kind is relative to
// its own raw bytes; those of indexes and the rest are relative to all raw bytes.
func writeSpace(out io.Writer, documents, raw [len(dataset.Kinds)]int64, space store.Space) error {
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

// requireSpace returns an error if fewer bytes than needed are known to be free in a folder.
func requireSpace(folder string, needed float64) error {
	if free, _, known := store.DiskSpace(folder); known && free < needed {
		return fmt.Errorf("%s needs about %s, but has %s free", folder, format.Bytes(needed), format.Bytes(free))
	}
	return nil
}
