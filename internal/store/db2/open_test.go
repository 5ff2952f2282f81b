package db2

import (
	"database/sql/driver"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

// An error that may disappear by waiting is *tpox.Unavailable, so that a service waits. Codes and states are those of
// IBM's message catalog.
func TestOpen_Heals(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		heals bool
	}{
		"NoServer":          {lost, true},
		"NoDatabase":        {failure(-30061, "08004"), true},
		"NoDatabaseLocally": {failure(-1013, stateNoDatabase), true},
		"NotActivated":      {failure(-1035, "57019"), true},
		"Forced":            {failure(codeForced, "55032"), true},
		"MayNotCreate":      {failure(-552, stateNoAuthority), true},
		"SomebodyElseMakes": {deadlock, true},
		"Licence":           {failure(-8001, "42968"), false},
		"Syntax":            {failure(-104, "42601"), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: func(string, []driver.Value) (answer, error) { return answer{}, c.err }}
			_, err := openConnectors(t.Context(), f, f, Options{})
			var unavailable *tpox.Unavailable
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.heals, errors.As(err, &unavailable), "%v", err)
			require.Equal(t, f.connections, f.closed)
		})
	}
}

// A missing password file may appear later, as a Secret does; a password that cannot be used is another error.
func TestOpen_PasswordFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	_, err := Open(t.Context(), "db2://u@h/TPOX?password_file="+file, Options{})
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, err, &unavailable)
	require.NoError(t, os.WriteFile(file, []byte("a;UID=root"), 0o600))
	_, err = Open(t.Context(), "db2://u@h/TPOX?password_file="+file, Options{})
	require.ErrorContains(t, err, "cannot hold")
	require.NotContains(t, err.Error(), "root")
}

// A user without rights on the administrative views can open a store, but its description lacks version and settings.
// A codeset other than UTF-8 (or utf-8) is refused; a collation other than IDENTITY causes a notice.
func TestInspect(t *testing.T) {
	denied := failure(-551, stateNoPrivilege)
	for name, c := range map[string]struct {
		codeset, collation string
		denied             error
		fails              string
		says               string
	}{
		"Denied":    {"UTF-8", "IDENTITY", denied, "", "SYSIBMADM.ENV_INST_INFO.*codeset .* not verified .*SYSIBMADM.DBCFG"},
		"Codeset":   {"ISO8859-1", "IDENTITY", nil, "codeset ISO8859-1", ""},
		"Small":     {"utf-8", "IDENTITY  ", nil, "", "^$"},
		"Collation": {"UTF-8", "CLDR181_LEN_S1", nil, "", `collation "CLDR181_LEN_S1"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
				switch nameOf(query) {
				case "server_version":
					return answer{rows: [][]driver.Value{{"DB2 v11.5.9.0"}}}, c.denied
				case "server_settings":
					return answer{rows: [][]driver.Value{{"codeset", c.codeset}}}, c.denied
				case "collation":
					return answer{rows: [][]driver.Value{{c.collation}}}, nil
				}
				return answer{rows: [][]driver.Value{{[]byte("1")}}}, nil
			}}
			var notices []string
			notice := func(text string) { notices = append(notices, text) }
			s, err := openConnectors(t.Context(), f, f, Options{Notice: notice})
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.denied != nil, s.Describe().Version == "unknown")
			require.Equal(t, c.denied != nil, len(s.Describe().Settings) == 0)
			require.NoError(t, s.Close())
			require.Regexp(t, c.says, strings.Join(notices, " "))
		})
	}
}
