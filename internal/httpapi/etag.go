package httpapi

import "strings"

// An etag is an entity tag in a client's condition (RFC 9110, 8.8.3).
type etag struct {
	weak bool
	text string
}

// Suffixes of the tag of a document that is sent as text/xml, or compressed.
const (
	textSuffix = "-text"
	gzipSuffix = "-gzip"
)

// version returns the version of the document that the tag names, whatever the form of the answer.
func (t etag) version() string {
	return strings.TrimSuffix(strings.TrimSuffix(t.text, gzipSuffix), textSuffix)
}

// etags parses the lists of If-Match and If-None-Match. anything is set for *.
func etags(header []string) (tags []etag, anything bool, err error) {
	rest := strings.TrimSpace(strings.Join(header, ","))
	if rest == "*" {
		return nil, true, nil
	}
	for {
		rest = strings.TrimLeft(rest, " \t,") // a list may have empty members (RFC 9110, 5.6.1)
		var t etag
		rest, t.weak = strings.CutPrefix(rest, "W/")
		text, ok := strings.CutPrefix(rest, `"`)
		end := strings.IndexByte(text, '"')
		if !ok || end < 0 {
			return nil, false, badRequest("a condition is not a list of entity tags in quotes")
		}
		t.text = text[:end]
		tags = append(tags, t)
		rest = strings.TrimLeft(text[end+1:], " \t")
		if strings.Trim(rest, " \t,") == "" {
			return tags, false, nil
		}
		if rest[0] != ',' {
			return nil, false, badRequest("a condition is not a list of entity tags in quotes")
		}
	}
}
