package workload

import _ "embed"

// RunSchema is the JSON Schema of Run and Tier.
//
//go:embed run.schema.json
var RunSchema []byte
