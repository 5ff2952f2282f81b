package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"brokerage/internal/output"
	"brokerage/internal/report"
)

//nolint:lll // a help text is one string
type reportCmd struct {
	Files fileGroups `arg:"" name:"file ..." help:"Results of brokerage campaign, brokerage drive --json or k6 run --out json=FILE. With one file, a report is written. Two files, or two groups of repeats separated by --, are compared: A1 A2 A3 -- B1 B2 B3."`
	Out   string     `placeholder:"FILE" help:"HTML file to write; - is standard output. Default: the name of the results file with .html; none for a comparison, which is printed as text."`
}

// fileGroups are the files on the command line, in groups separated by --.
type fileGroups [][]string

// Decode reads files up to the next flag. By itself, kong would drop -- and treat the rest as arguments.
func (g *fileGroups) Decode(ctx *kong.DecodeContext) error {
	for {
		var group []string
		for ctx.Scan.Peek().IsValue() {
			group = append(group, ctx.Scan.Pop().String())
		}
		if len(group) == 0 {
			return errors.New("a group without a file: report A1 A2 A3 -- B1 B2 B3 compares two groups")
		}
		*g = append(*g, group)
		if ctx.Scan.Peek().Value != "--" {
			return nil
		}
		ctx.Scan.Pop()
	}
}

func (c *reportCmd) Run(s streams) error {
	if c.Out != "" && c.Out != "-" {
		if err := c.output(c.Out).Check(); err != nil {
			return err
		}
	}
	groups := c.Files
	if len(groups) == 1 && len(groups[0]) == 1 {
		return c.page(s, groups[0][0])
	}
	if len(groups) == 1 && len(groups[0]) == 2 {
		groups = fileGroups{groups[0][:1], groups[0][1:]}
	}
	switch {
	case len(groups) == 1:
		return usagef(
			"%d files: a report is on one, or compares two, or two groups with -- between them: report A1 A2 A3 -- B1 B2 B3",
			len(groups[0]))
	case len(groups) > 2:
		return usagef("%d groups of files: two can be compared", len(groups))
	}
	return c.compare(s, groups[0], groups[1])
}

func (c *reportCmd) page(s streams, path string) error {
	file, err := report.Read(path)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		name := strings.TrimSuffix(path, ".gz")
		out = strings.TrimSuffix(name, filepath.Ext(name)) + ".html"
	}
	if file.Run != nil && file.Run.Tool.Name == "k6" && out != "-" {
		if err := file.Run.WriteWidth(s.out, columns(s.out)); err != nil {
			return err
		}
	}
	return c.write(s, out, file.WriteHTML)
}

// readSide reads the files of one side of a comparison.
func readSide(paths []string) (*report.File, error) {
	files := make([]*report.File, len(paths))
	for i, path := range paths {
		var err error
		if files[i], err = report.Read(path); err != nil {
			return nil, err
		}
	}
	return report.Together(files)
}

func (c *reportCmd) compare(s streams, as, bs []string) error {
	a, err := readSide(as)
	if err != nil {
		return err
	}
	b, err := readSide(bs)
	if err != nil {
		return err
	}
	comparison, err := report.Compare(a, b)
	if err != nil {
		return err
	}
	if c.Out != "-" {
		if err := comparison.WriteText(s.out); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	return c.write(s, c.Out, comparison.WriteHTML)
}

// write writes the page.
func (c *reportCmd) write(s streams, path string, page func(io.Writer) error) error {
	if path == "-" {
		return page(s.out)
	}
	if err := writePage(c.output(path), page); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "wrote %s\n", path)
	return nil
}

// output returns a file for a page.
func (c *reportCmd) output(path string) output.File {
	return output.File{Path: path, Kind: output.Page, Mode: output.Shared, Inputs: slices.Concat(c.Files...)}
}

// writePage renders a page to a file, which it touches only when the whole page is rendered.
func writePage(file output.File, page func(io.Writer) error) error {
	var html bytes.Buffer
	if err := page(&html); err != nil {
		return err
	}
	return writeFile(file, html.Bytes())
}
