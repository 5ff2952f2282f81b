// Package api holds the contract of the service as files, and makes them available to the code that has to keep it:
// what the service validates with is what a client can read.
package api

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"sync"
)

// Schemas are the XML Schemas, schema/*.xsd. Those of the documents, custacc.xsd, security.xsd and order.xsd, stand on
// their own, without includes or imports, so that the same file can be compiled here, registered with a database and
// handed to a client. Those of bodies and answers, *-messages.xsd, include the one that they build on.
//
//go:embed schema/*.xsd
var Schemas embed.FS

// Examples are bodies and answers of every operation, examples/<operation>.request.xml and
// examples/<operation>.response.xml, and problems, examples/problem.<type>.xml: real ones, of the dataset tiny.
//
//go:embed examples
var Examples embed.FS

//go:embed openapi.yaml
var source []byte

// exampleFile is how openapi.yaml names an example: on a line of its own.
var exampleFile = regexp.MustCompile(`(?m)^( *)externalValue: (examples/\S+)$`)

// OpenAPI is openapi.yaml as a client gets it: complete in itself. In the file an example is the name of its own file;
// here it stands in full, because a page of documentation has nowhere to fetch it from, and most do not even try. The
// answer is shared and must not be changed.
var OpenAPI = sync.OnceValue(func() []byte {
	return exampleFile.ReplaceAllFunc(source, func(line []byte) []byte {
		part := exampleFile.FindSubmatch(line)
		example, err := Examples.ReadFile(string(part[2]))
		if err != nil {
			// Part of the program, and so a bug that no caller could handle.
			panic(fmt.Sprintf("api: %v", err))
		}
		if bytes.HasSuffix(line, []byte(".json")) {
			return fmt.Appendf(nil, "%svalue: %s", part[1], bytes.TrimSpace(example)) // JSON in one line is YAML
		}
		return fmt.Appendf(nil, "%svalue: %q", part[1], example) // and so is a string of Go
	})
})
