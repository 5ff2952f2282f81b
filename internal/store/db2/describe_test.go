package db2

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"
)

// A user without rights on the administrative views can open a store, and results do not have what they say.
func TestInspect_Denied(t *testing.T) {
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		switch nameOf(query) {
		case "server_version", "server_settings":
			return answer{}, failure(-551, stateNoPrivilege)
		case "get_setting":
			return answer{rows: [][]driver.Value{{[]byte("1")}}}, nil
		}
		return answer{}, nil
	}}
	var notices []string
	s, err := openConnectors(t.Context(), f, f, Options{Notice: func(text string) { notices = append(notices, text) }})
	require.NoError(t, err)
	require.Len(t, notices, 2)
	require.Contains(t, notices[0], "GRANT SELECT ON SYSIBMADM.ENV_INST_INFO")
	require.NotContains(t, notices[0], "codeset")
	require.Contains(t, notices[1], "codeset")
	require.Contains(t, notices[1], "GRANT SELECT ON SYSIBMADM.DBCFG")
	require.Equal(t, "unknown", s.Describe().Version)
	require.Empty(t, s.Describe().Settings)
	require.NoError(t, s.Close())
}

// The wrong codeset is refused all the same.
func TestInspect_Codeset(t *testing.T) {
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if nameOf(query) == "server_settings" {
			return answer{rows: [][]driver.Value{{"codeset", "ISO8859-1"}}}, nil
		}
		return answer{rows: [][]driver.Value{{"DB2 v11.5.9.0"}}}, nil
	}}
	_, err := openConnectors(t.Context(), f, f, Options{})
	require.ErrorContains(t, err, "codeset ISO8859-1")
}
