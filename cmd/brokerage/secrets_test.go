package main

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secretParts are two pairs of parts of passwords. Parts of digits could be taken for a port.
var secretParts = []string{"qqxone", "qqxtwo", "17713", "17714"}

// oddURLs returns addresses with passwords of all kinds, as people type them: some are no URLs, others are URLs of
// something else.
func oddURLs(scheme string) (all []string) {
	const at = "127.0.0.1:1"
	for _, odd := range []string{
		"", "@", "@@", ":", "/", "//", "#", "?", "%", "%40", "%zz", " ", "'", `"`, `\`, "é", "ß€", "&", "=", "a=b@", ";", ",",
		"[", "://", "\n", "{}", "?x=", "#@", "/@",
	} {
		for i := 0; i < len(secretParts); i += 2 {
			if i > 0 && !strings.ContainsAny(odd, "@:/?#&") {
				continue // digits could be taken for a port only with one of these
			}
			password := secretParts[i] + odd + secretParts[i+1]
			all = append(all, scheme+"://localhost:"+password+"@"+at+"/db", scheme+"://me@localhost:"+password+"@"+at+"/db",
				scheme+"://"+(&url.URL{User: url.UserPassword("me", password), Host: at, Path: "/db"}).String()[2:],
				scheme+"://me@"+at+"/db?password="+password, scheme+"://me@"+at+"/db?sslpassword="+url.QueryEscape(password),
				scheme+"://me@"+at+"/db?token="+url.QueryEscape(password)+"&sslmode=disable",
				scheme+":host=127.0.0.1 port=1 user=me password="+password, "host=127.0.0.1 user=me password="+password,
				"DATABASE=db;HOSTNAME=127.0.0.1;UID=me;PWD="+password, "me:"+password+"@"+at+"/db")
		}
	}
	return all
}

// No password is printed, logged or written, whatever it looks like.
func TestRun_NoPasswords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backup := filepath.Join(dir, "backup.zst")
	t.Cleanup(func() { require.Empty(t, names(t, dir)) })
	serve := []string{"serve", "--listen", "127.0.0.1:0", "--db"}
	for name, c := range map[string]struct {
		schemes []string
		args    []string // and then the URL
	}{
		"Serve":    {[]string{"postgres", "db2", "oracle", "null"}, serve},
		"Argument": {[]string{"postgres"}, []string{"serve"}},
		"Traces":   {[]string{"ftp"}, []string{"serve", "--db", "null:", "--listen", "127.0.0.1:0", "--otlp-endpoint"}},
		"Replica": {
			[]string{"postgres", "db2", "oracle"},
			[]string{"serve", "--db", "postgres://127.0.0.1:1/db", "--listen", "127.0.0.1:0", "--replica"},
		},
		"Keys": {
			[]string{"http", "ftp"},
			[]string{
				"serve", "--db", "oops:", "--listen", "127.0.0.1:0", "--jwt-issuer", "i", "--jwt-audience", "a", "--jwks-url",
			},
		},
		"Load":     {[]string{"postgres", "db2", "oracle"}, []string{"load", "--db"}},
		"Verify":   {[]string{"postgres", "db2"}, []string{"verify", "--db"}},
		"Migrate":  {[]string{"postgres", "db2"}, []string{"migrate", "--db"}},
		"Backup":   {[]string{"postgres"}, []string{"backup", "--out", backup, "--db"}},
		"Drive":    {[]string{"postgres", "db2", "http"}, []string{"drive", "--db"}},
		"DriveURL": {[]string{"http", "postgres"}, []string{"drive", "--url"}},
		"Watch":    {[]string{"postgres", "db2", "oracle"}, []string{"drive", "--url", "http://127.0.0.1:1", "--watch-db"}},
		"Campaign": {
			[]string{"postgres", "db2"},
			[]string{"campaign", "--preset", "smoke", "--out", filepath.Join(dir, "campaign"), "--db"},
		},
		"Compare": {[]string{"postgres", "db2", "http"}, []string{"compare", "null:"}},
		"CompareB": {
			[]string{"postgres", "http"},
			[]string{"compare", "exec:true --db postgres://u:" + secretParts[0] + "@h/d"},
		},
		"Health": {[]string{"http", "postgres"}, []string{"health", "--url"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, scheme := range c.schemes {
				for i, address := range oddURLs(scheme) {
					every := 7 // each command tries some, of all forms, and together they try most
					switch {
					case testing.Short():
						every = 37
					case name == "Serve":
						every = 1
					}
					if (i+len(name))%every != 0 {
						continue
					}
					r := brokerage(t.Context(), append(c.args, address)...)
					assert.NotEqual(t, exitOK, r.code)
					for _, part := range secretParts {
						if !assert.NotContains(t, r.out+r.err, part, "%q", address) {
							return // one finding for each command is enough
						}
					}
				}
			}
		})
	}
}
