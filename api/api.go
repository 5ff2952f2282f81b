// Package api embeds the contract: the service validates with the very files that a client can read.
package api

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"sync"
)

// Schemas are the XML Schemas, schema/*.xsd. Those of the documents, custacc.xsd, security.xsd and order.xsd, have no
// includes or imports, so that one file can be compiled here, registered with a database and handed to a client. Those
// of bodies and answers, *-messages.xsd, include the schema that they build on.
//
//go:embed schema/*.xsd
var Schemas embed.FS

// Examples are bodies and answers of operations, examples/<operation>.request.xml and
// examples/<operation>.response.xml, and problems, examples/problem.<type>.xml or .json, as the service answers on the
// dataset tiny.
//
//go:embed examples
var Examples embed.FS

//go:embed openapi.yaml
var source []byte

// exampleFile matches the line by which openapi.yaml refers to an example.
var exampleFile = regexp.MustCompile(`(?m)^( *)externalValue: (examples/\S+)$`)

// OpenAPI returns openapi.yaml as a client gets it: with the text of each example instead of the name of its file,
// because tools for documentation do not fetch it. The result is shared and must not be changed.
var OpenAPI = sync.OnceValue(func() []byte {
	return exampleFile.ReplaceAllFunc(source, func(line []byte) []byte {
		part := exampleFile.FindSubmatch(line)
		example, err := Examples.ReadFile(string(part[2]))
		if err != nil {
			panic(fmt.Sprintf("api: %v", err)) // the file is part of the program
		}
		if bytes.HasSuffix(line, []byte(".json")) {
			return fmt.Appendf(nil, "%svalue: %s", part[1], bytes.TrimSpace(example)) // JSON on one line is YAML
		}
		return fmt.Appendf(nil, "%svalue: %q", part[1], example) // and so is a Go string
	})
})
