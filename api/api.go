// Package api holds the contract of the service as files, and makes them available to the code that has to keep it:
// what the service validates with is what a client can read.
package api

import "embed"

// Schemas are the XML Schemas of the documents, schema/custacc.xsd, schema/security.xsd and schema/order.xsd. Each
// stands on its own, without includes or imports, so that the same file can be compiled here, registered with a
// database and handed to a client.
//
//go:embed schema/*.xsd
var Schemas embed.FS
