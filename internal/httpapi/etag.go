package httpapi

import "strings"

// etag is one of a client's entity tags (RFC 9110, 8.8.3).
type etag struct {
	weak bool
	text string
}

// What the tag of a document that comes as text/xml, or packed, ends in.
const (
	textSuffix   = "-text"
	packedSuffix = "-gzip"
)

// version is the version of the document that a tag names, in whatever form the
// answer came.
func (t etag) version() string {
	return strings.TrimSuffix(strings.TrimSuffix(t.text, packedSuffix), textSuffix)
}

// etags reads the lists of If-Match and If-None-Match.
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
