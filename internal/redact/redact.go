// Package redact says what may be shown of URLs, which may hold passwords: in messages, logs and results.
package redact

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

var errURL = errors.New("not a URL; in a password % is written as %25, @ as %40, / as %2F, ? as %3F, # as %23")

// Parse parses a URL with "//". It refuses one with an "@" that may be of a password: a second one, at which of the two
// the host begins being a matter of opinion, and one that does not end a user, since of me:12/3@host the host would be
// "me" and the port 12. Its errors repeat nothing of the URL.
func Parse(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Opaque != "" || !strings.Contains(text, "://") {
		return nil, errURL
	}
	if n := strings.Count(text, "@"); n > 1 || n == 1 && u.User == nil {
		return nil, errURL
	}
	return u, nil
}

// hidden stands for what is no URL, of which any part may be a password.
const hidden = "(not shown: it may hold a password)"

// URL returns what may be shown of a URL: scheme, host, port and path, but no user, no password and no parameters. The
// URLs of files, sqlite:PATH, and null: are shown as they are, and of what is no URL nothing.
func URL(text string) string {
	if text == "null:" || strings.HasPrefix(text, "sqlite:") {
		return text
	}
	u, err := Parse(text)
	if err != nil {
		return hidden
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// Error returns the error of a request without what may not be shown of its URL.
func Error(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return &url.Error{Op: failed.Op, URL: URL(failed.URL), Err: failed.Err}
	}
	return err
}

// Arguments returns a message about a command line without the passwords of its arguments.
func Arguments(message string, args []string) string {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			_, arg, _ = strings.Cut(arg, "=")
		}
		if shown := URL(arg); shown != arg && suspicious(arg) {
			quoted := strconv.Quote(arg)
			message = strings.NewReplacer(arg, shown, quoted[1:len(quoted)-1], shown).Replace(message)
		}
	}
	return message
}

// suspicious tells whether a text looks like an address with a password.
func suspicious(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(text, "://") || strings.Contains(text, "@") || strings.Contains(lower, "password") ||
		strings.Contains(lower, "pwd")
}
