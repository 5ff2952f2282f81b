// Command dashboard writes the Grafana dashboard of the service as JSON, generated from a list of panels.
package main

import (
	"fmt"
	"os"
)

//go:generate go run . ../grafana/brokerage.json

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: dashboard FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], encode(rows), 0o644); err != nil { //nolint:gosec // it is for everybody to read
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
