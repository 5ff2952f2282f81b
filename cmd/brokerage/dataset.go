package main

import (
	"fmt"
	"text/tabwriter"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
)

type datasetCmd struct {
	datasetFlags
}

func (c datasetCmd) Run(s streams) error {
	d := dataset.New(c.spec())
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "fingerprint %s\n\n", d.Fingerprint())
	fmt.Fprint(w, "\tdocuments\tids from\tto\tmean bytes\tbytes\t\n")
	var documents int64
	var bytes, packed float64
	for _, kind := range dataset.Kinds {
		n := d.Count(kind)
		size := float64(n) * d.MeanSize(kind)
		documents, bytes, packed = documents+n, bytes+size, packed+size*dataset.ZstdShare[kind]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.0f\t%s\t\n", kind, format.Count(n), d.ID(kind, 0), d.ID(kind, n-1),
			d.MeanSize(kind), format.Bytes(size))
	}
	accounts := d.TotalAccounts()
	fmt.Fprintf(w, "account\t%s\t%d\t%d\t\tin customers\t\n", format.Count(accounts), d.AccountAt(0),
		d.AccountAt(accounts-1))
	fmt.Fprintf(w, "total\t%s\t\t\t\t%s\t\n", format.Count(documents), format.Bytes(bytes))
	if err := w.Flush(); err != nil {
		return err
	}
	symbols := int(d.Count(dataset.Security))
	_, err := fmt.Fprintf(s.out, `
symbols: %s … %s (index 0 … %d; the formula is in the documentation of package dataset)
disk space: %s as files, at most %s as files with --compress zstd,
            at most %s for a load (documents not compressed, with keys and indexes)
`, dataset.Symbol(0), dataset.Symbol(symbols-1), symbols-1, format.Bytes(bytes), format.Bytes(packed),
		format.Bytes(bytes*loadShare))
	return err
}

// loadShare bounds the disk space that a load needs, in proportion to the documents: SQLite with one index for each
// lookup took 1.31 times their size at XXXS (1.23 with tpox-1), plus a journal.
const loadShare = 1.5
