package format

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

var errURL = errors.New("not a URL; in a password % is written as %25, @ as %40, / as %2F, ? as %3F, # as %23")

// ParseURL parses a URL with "//". An "@" that may belong to a password is an error: a second one, since parsers differ
// in where the host begins, and one that does not end a user name, since the host of me:12/3@host would be "me" and its
// port 12. Errors repeat nothing of the URL.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Opaque != "" || !strings.Contains(text, "://") {
		return nil, errURL
	}
	if n := strings.Count(text, "@"); n > 1 || n == 1 && u.User == nil {
		return nil, errURL
	}
	return u, nil
}

// hidden replaces text that is not a URL, since any part of it may be a password.
const hidden = "(not shown: it may hold a password)"

// URL returns the scheme, host, port and path of a URL, without user, password and parameters. It returns sqlite:PATH
// and null: unchanged. Text that ParseURL refuses is replaced as a whole.
func URL(text string) string {
	if text == "null:" || strings.HasPrefix(text, "sqlite:") {
		return text
	}
	u, err := ParseURL(text)
	if err != nil {
		return hidden
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// Error returns the error of an HTTP request with its URL redacted.
func Error(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return &url.Error{Op: failed.Op, URL: URL(failed.URL), Err: failed.Err}
	}
	return err
}

// Arguments returns a message after redacting the arguments of the command line that may hold a password.
func Arguments(message string, args []string) string {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			_, arg, _ = strings.Cut(arg, "=")
		}
		lower := strings.ToLower(arg)
		marked := func(mark string) bool { return strings.Contains(lower, mark) }
		suspicious := slices.ContainsFunc([]string{"://", "@", "password", "pwd"}, marked)
		if shown := URL(arg); shown != arg && suspicious {
			quoted := strconv.Quote(arg)
			message = strings.NewReplacer(arg, shown, quoted[1:len(quoted)-1], shown).Replace(message)
		}
	}
	return message
}
