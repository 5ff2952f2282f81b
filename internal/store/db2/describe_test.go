package db2

import (
	"database/sql/driver"
	"strings"
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
	require.Len(t, notices, 3)
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

// A codeset may be written in small letters, and another collation than IDENTITY is said.
func TestInspect_Collation(t *testing.T) {
	for collation, says := range map[string]string{"IDENTITY  ": "", "CLDR181_LEN_S1": `collation "CLDR181_LEN_S1"`} {
		f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
			switch nameOf(query) {
			case "server_settings":
				return answer{rows: [][]driver.Value{{"codeset", "utf-8"}}}, nil
			case "collation":
				return answer{rows: [][]driver.Value{{collation}}}, nil
			}
			return answer{rows: [][]driver.Value{{[]byte("1")}}}, nil
		}}
		var notices []string
		s, err := openConnectors(t.Context(), f, f, Options{Notice: func(text string) { notices = append(notices, text) }})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.Contains(t, strings.Join(notices, ""), says)
		require.Equal(t, says == "", len(notices) == 0)
	}
}
