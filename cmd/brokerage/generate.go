package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"brokerage/internal/dataset"
	"brokerage/internal/format"
)

//nolint:lll // a help text is one string
type generateCmd struct {
	datasetFlags

	Kind     []kindFlag   `placeholder:"KIND" help:"Kinds of documents to write, separated by commas: security, customer, order. Default: all."`
	Part     dataset.Part `default:"1/1" placeholder:"N/M" help:"Write only part N of M equal parts, so that M machines can share the work. Default: 1/1."`
	Out      string       `required:"" type:"path" placeholder:"DIR" help:"Folder for the files, created if it does not exist."`
	Compress string       `enum:"none,zstd" default:"none" placeholder:"HOW" help:"Compression of the files: zstd or none. Default: none."`
	Workers  int          `placeholder:"N" range:"0..1024" help:"Number of files written at once; 0 is one per processor. Default: 0."`
}

func (c *generateCmd) Run(ctx context.Context, s streams) error {
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	kinds := make([]dataset.Kind, len(c.Kind))
	for i, kind := range c.Kind {
		kinds[i] = kind.Kind
	}
	files := dataset.New(c.spec()).Files(c.Out, kinds, c.Part, c.Compress == "zstd")
	if files.Empty() { // more parts than documents, so the last parts are empty: no error
		_, err := fmt.Fprintf(s.out, "nothing to do: part %d/%d holds no document\n", c.Part.Number, c.Part.Of)
		return err
	}
	before, expected, needed, err := files.Survey()
	if err != nil {
		return err
	}
	if err := requireSpace(c.Out, needed); err != nil {
		return err
	}
	bar := startProgress(s.err, expected)
	written, err := files.Write(ctx, c.Workers, func(bytes int) { bar.done.Add(int64(bytes)) })
	bar.finish()
	took := time.Since(bar.start)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitError{exitInterrupted, fmt.Errorf("interrupted: %s complete in %s; the same command continues there",
			format.Plural(before+written.Files, "file"), c.Out)}
	case err != nil:
		return err
	case written.Files == 0:
		_, err = fmt.Fprintf(s.out, "nothing to do: %s already in %s\n", format.Plural(before, "file"), c.Out)
		return err
	}
	beside := ""
	if before > 0 {
		beside = fmt.Sprintf(", in addition to %s from before", format.Count(before))
	}
	_, err = fmt.Fprintf(s.out, "%s, %s, in %s%s in %s: %s, %s\n",
		format.Plural(written.Documents, "document"), format.Bytes(written.Bytes), format.Plural(written.Files, "file"),
		beside, c.Out, format.Duration(took), format.ByteRate(written.Bytes, took))
	return err
}
