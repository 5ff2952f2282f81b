package httpapi

import (
	"regexp"
	"slices"
	"strings"
)

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

// hasVersion reports whether a condition holds for a version of a document.
func hasVersion(tags []etag, anything bool, version string) bool {
	return anything || slices.ContainsFunc(tags, func(t etag) bool { return t.version() == version })
}

// A list may have empty members (RFC 9110, 5.6.1).
var (
	oneTag  = regexp.MustCompile(`(W/)?"([^"]*)"`)
	allTags = regexp.MustCompile(`^[ \t,]*` + oneTag.String() + `([ \t]*,[ \t,]*` + oneTag.String() + `)*[ \t,]*$`)
)

// etags parses the lists of If-Match and If-None-Match. anything is set for *.
func etags(header []string) (tags []etag, anything bool, err error) {
	list := strings.TrimSpace(strings.Join(header, ","))
	if list == "*" {
		return nil, true, nil
	}
	if !allTags.MatchString(list) {
		return nil, false, badRequest("a condition is not a list of entity tags in quotes")
	}
	for _, tag := range oneTag.FindAllStringSubmatch(list, -1) {
		tags = append(tags, etag{weak: tag[1] != "", text: tag[2]})
	}
	return tags, false, nil
}
