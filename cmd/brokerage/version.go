package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"brokerage/internal/dataset"
	"brokerage/internal/telemetry"
)

type versionCmd struct{}

func (versionCmd) Run(s streams) error {
	build := buildInfo()
	_, err := fmt.Fprintf(s.out, "brokerage %s, generator version %d, %s\n", build.Version, dataset.Version,
		build.GoVersion)
	return err
}

// versionFlag is --version.
type versionFlag bool

// BeforeReset prints the version. Kong calls it when the flag is given.
func (versionFlag) BeforeReset(app *kong.Kong, s streams) error {
	defer app.Exit(exitOK)
	return versionCmd{}.Run(s)
}

// buildInfo returns what the Go toolchain stamped into the binary.
func buildInfo() telemetry.BuildInfo {
	build := telemetry.BuildInfo{Version: "unknown", Revision: "unknown", GoVersion: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build
	}
	build.Version = info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			build.Revision = setting.Value
		}
	}
	return build
}
