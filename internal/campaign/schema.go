package campaign

import _ "embed"

// Schema is the JSON Schema of campaign.json. It refers to that of a run, workload.RunSchema, by its id.
//
//go:embed record.schema.json
var Schema []byte
