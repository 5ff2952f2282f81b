package format

import (
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURL(t *testing.T) {
	const hidden = "(not shown: it may hold a password)"
	for text, want := range map[string]string{
		"postgres://me:secret@host:5432/db?sslmode=disable": "postgres://host:5432/db",
		"postgres://me:p@ss@host/db":                        hidden,
		"postgres://me%40domain:p%40ss%2F@host/db":          "postgres://host/db",
		"postgres://me@domain:p@ss@host/db":                 hidden,
		"postgres://me:p:ss@[::1]:5432/db":                  "postgres://[::1]:5432/db",
		"postgres://me:@host/db":                            "postgres://host/db",
		"postgres:///db?host=/tmp&password=p":               "postgres:///db",
		"postgres://me@host/db?password=p@ss":               hidden,
		"https://token@host/keys?key=secret#x":              "https://host/keys",
		"http://127.0.0.1:8080/a%2Fb":                       "http://127.0.0.1:8080/a%2Fb",
		"sqlite:/home/me/a@b?c":                             "sqlite:/home/me/a@b?c",
		"null:":                                             "null:",
		"postgres://me:12/3@host/db":                        hidden,
		"postgres://me:12?3@host/db":                        hidden,
		"postgres://me:12?3=4@host/db":                      hidden,
		"postgres://me:12#3@host/db":                        hidden,
		"postgres://me:12@34/56@host/db":                    hidden,
		"postgres://me:p/ss@host/db":                        hidden,
		"postgres://me:p%zz@host/db":                        hidden,
		"postgres://me:p ss@host/db":                        hidden,
		"postgres:host=h password=p":                        hidden,
		"host=h password=p":                                 hidden,
		"DATABASE=d;PWD=p":                                  hidden,
		"me:p@host":                                         hidden,
		"":                                                  hidden,
	} {
		require.Equal(t, want, URL(text), text)
	}
}

func TestParse_ErrorsSayNothing(t *testing.T) {
	for _, text := range []string{
		"http://me:secret/x@host", "http://me:secret@ho st", "http://me:%zzsecret@host", "secret",
	} {
		_, err := ParseURL(text)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestError(t *testing.T) {
	cause := errors.New("refused")
	require.Equal(t, `Get "http://host/a": refused`,
		Error(&url.Error{Op: "Get", URL: "http://u:secret@host/a?b=secret", Err: cause}).Error())
	require.ErrorIs(t, Error(&url.Error{Op: "Get", URL: "x", Err: cause}), cause)
	require.Equal(t, cause, Error(cause))
}

func TestArguments(t *testing.T) {
	require.Equal(t, "no http://h/x, no y",
		Arguments("no http://u:secret@h/x?z, no y", []string{"serve", "--a=http://u:secret@h/x?z", "y"}))
	require.Equal(t, "no serve", Arguments("no serve", []string{"serve", "--", "-"}))
}
