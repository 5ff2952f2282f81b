package main

import (
	"fmt"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"brokerage/internal/dataset"
)

type versionCmd struct{}

func (versionCmd) Run(s streams) error {
	version, goVersion := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version, goVersion = info.Main.Version, info.GoVersion
	}
	_, err := fmt.Fprintf(s.out, "brokerage %s, generator version %d, %s\n", version, dataset.Version, goVersion)
	return err
}

// versionFlag is --version, which many try first.
type versionFlag bool

// BeforeReset is called by kong where the flag is given.
func (versionFlag) BeforeReset(app *kong.Kong, s streams) error {
	defer app.Exit(exitOK)
	return versionCmd{}.Run(s)
}
