package workload

import _ "embed" // the schema

// RunSchema is the JSON Schema of Run and Tier.
//
//go:embed run.schema.json
var RunSchema []byte
