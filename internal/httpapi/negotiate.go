package httpapi

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"brokerage/internal/tpox"
)

// The headers of a request that concern the answer: its media type and compression, the versions that the client has,
// and how old the answer may be.

// accepts returns an error if the client accepts neither application/xml nor text/xml.
func (q *request) accepts() error {
	if _, ok := q.mediaType(); !ok {
		return errAcceptable
	}
	return nil
}

// mediaType returns the media type of XML that the client prefers, application/xml if it has no preference, and whether
// it accepts XML at all.
func (q *request) mediaType() (mediaType string, accepted bool) {
	accept := strings.Join(q.Request.Header["Accept"], ",")
	application, text := quality(accept, "application/xml"), quality(accept, "text/xml")
	if text > application {
		return textType, true
	}
	return xmlType, application > 0
}

// quality returns the weight of a media type in a header Accept, 0 if it is not accepted. It takes the weight of the
// most specific range that matches (RFC 9110, 12.5.1).
func quality(accept, mediaType string) float64 {
	if strings.TrimSpace(accept) == "" {
		return 1
	}
	major, _, _ := strings.Cut(mediaType, "/")
	best, found := -1, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		rank := -1
		switch strings.ToLower(strings.TrimSpace(name)) {
		case mediaType:
			rank = 2
		case major + "/*":
			rank = 1
		case "*/*":
			rank = 0
		}
		if rank > best {
			best, found = rank, weight(parameters)
		}
	}
	return found
}

// weight returns the value of q among the parameters, by default 1.
func weight(parameters string) float64 {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			w, err := strconv.ParseFloat(value, 64)
			if err != nil || !(w >= 0 && w <= 1) { // true for NaN
				return 0
			}
			return w
		}
	}
	return 1
}

// prefersJSON reports whether a problem is to be answered as JSON.
func prefersJSON(accept []string) bool {
	all := strings.Join(accept, ",")
	return all != "" && max(quality(all, "application/problem+json"), quality(all, "application/json")) >
		max(quality(all, "application/problem+xml"), quality(all, "application/xml"), quality(all, "text/xml"))
}

// acceptsGzip reports whether a client accepts gzip, by its name or by *, and does not prefer an uncompressed answer
// (RFC 9110, 12.5.3).
func acceptsGzip(accept []string) bool {
	gzip, identity, others := -1.0, -1.0, -1.0
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, parameters, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			gzip = weight(parameters)
		case "identity":
			identity = weight(parameters)
		case "*":
			others = weight(parameters)
		}
	}
	if gzip < 0 {
		gzip = others
	}
	return gzip > 0 && gzip >= identity
}

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

// hasVersion reports whether a condition lists a version of a document.
func hasVersion(tags []etag, anything bool, version string) bool {
	return anything || slices.ContainsFunc(tags, func(t etag) bool { return t.version() == version })
}

// A list may have empty members (RFC 9110, 5.6.1).
var (
	oneTag  = regexp.MustCompile(`(W/)?"([^"]*)"`)
	allTags = regexp.MustCompile(`^[ \t,]*` + oneTag.String() + `([ \t]*,[ \t,]*` + oneTag.String() + `)*[ \t,]*$`)
)

// etags parses the lists of If-Match and If-None-Match. For *, it returns true for anything.
func etags(header []string) (tags []etag, anything bool, err error) {
	list := strings.TrimSpace(strings.Join(header, ","))
	if list == "*" {
		return nil, true, nil
	}
	if !allTags.MatchString(list) {
		return nil, false, badRequest("If-Match or If-None-Match is neither * nor a list of entity tags in quotes")
	}
	for _, tag := range oneTag.FindAllStringSubmatch(list, -1) {
		tags = append(tags, etag{weak: tag[1] != "", text: tag[2]})
	}
	return tags, false, nil
}

// tokenHeader is a header that a service with replicas adds to the response to a write; a read may send it back.
const tokenHeader = "Consistency-Token"

// stalenessForm is the form of the header Max-Staleness.
var stalenessForm = regexp.MustCompile(`^\d{1,9}(ms|s)$`)

// fresh returns the context for a read: q.ctx, unless a header of the request allows an answer from a replica.
func (q *request) fresh() (context.Context, error) {
	tokens, ages := q.Request.Header[tokenHeader], q.Request.Header["Max-Staleness"]
	if len(tokens) == 0 && len(ages) == 0 {
		return q.ctx, nil
	}
	var f tpox.Freshness
	if len(tokens) > 0 {
		var ok bool
		if f.After, ok = tpox.ParseToken(tokens[0]); !ok || len(tokens) > 1 {
			return nil, badRequest("the header %s must be one token from an earlier response", tokenHeader)
		}
	}
	if len(ages) > 0 {
		if len(ages) > 1 || !stalenessForm.MatchString(ages[0]) {
			return nil, badRequest("the header Max-Staleness must be one time in s or ms, such as 2s or 500ms")
		}
		var err error
		if f.Within, err = time.ParseDuration(ages[0]); err != nil {
			return nil, err
		}
		if f.Within == 0 { // only the primary is that fresh
			return q.ctx, nil
		}
	}
	return tpox.WithFreshness(q.ctx, f), nil
}
