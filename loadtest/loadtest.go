// Package loadtest holds the workloads of the scenario, one definition for all
// tools that run them.
package loadtest

import "embed"

//go:generate go run ./generate

// Workloads are the definitions, each in workloads/NAME.json, with their JSON
// Schema beside them.
//
//go:embed workloads/*.json
var Workloads embed.FS
