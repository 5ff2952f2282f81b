// Package loadtest holds the workloads of the scenario, one definition for all tools that run them.
package loadtest

import "embed"

//go:generate go run ./generate

// Workloads are the definitions, each in workloads/NAME.json, Schema is their JSON Schema, and Defaults are the
// values of the fields that a definition omits.
var (
	//go:embed workloads/*.json
	Workloads embed.FS
	//go:embed workloads/workload.schema.json
	Schema []byte
	//go:embed workloads/defaults.json
	Defaults []byte
)
