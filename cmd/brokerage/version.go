package main

import (
	"fmt"
	"runtime/debug"

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
