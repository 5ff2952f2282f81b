package main

import (
	"fmt"

	"brokerage/internal/report"
	"brokerage/internal/result"
)

//nolint:lll // a help text is one string
type mergeCmd struct {
	Files []string `arg:"" name:"file" help:"Results of all parts of a load, which brokerage drive --part --json wrote, in any order."`

	resultFlags
}

// Run merges the results, and prints the merged one.
func (c *mergeCmd) Run(s streams) error {
	if err := c.check(c.Files); err != nil {
		return err
	}
	runs := make([]*result.Run, len(c.Files))
	for n, path := range c.Files {
		file, err := report.Read(path)
		if err != nil {
			return err
		}
		if file.Run == nil {
			return fmt.Errorf("%s is not the result of a run", path)
		}
		runs[n] = file.Run
	}
	run, err := result.Merge(c.Files, runs)
	if err != nil {
		return err
	}
	return c.report(s, run, c.Files, nil)
}
