package db2

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each design differs from the default one in what its name says, and shares no storage with it.
func TestDesign(t *testing.T) {
	for _, s := range []Setting{Box, Tuned} {
		plain := DDL(s, DefaultDesign)
		for _, d := range Designs {
			t.Run(string(s)+"/"+string(d), func(t *testing.T) {
				ddl := DDL(s, d)
				all := strings.Join(ddl, ";\n")
				count := func(text string) int { return strings.Count(all, text) }
				for _, name := range storageName.FindAllString(all, -1) {
					require.True(t, strings.HasSuffix(name, "_"+string(d)), name)
				}
				compressed, inline, indexes := 3, 3, 8
				switch d {
				case DefaultDesign:
				case Uncompressed:
					compressed = 0
					require.Equal(t, 3, count(" COMPRESS NO "))
				case OutOfLine:
					inline = 0
				case FewIndexes:
					indexes = 4
				case ManyIndexes:
					indexes = 17
				}
				require.Equal(t, compressed, count(" COMPRESS YES ADAPTIVE "))
				require.Equal(t, inline, count(" INLINE LENGTH 16288"))
				require.Equal(t, indexes, count(" GENERATE KEY USING XMLPATTERN"))
				require.Equal(t, 8, count("CREATE TABLE "))
				require.Len(t, ddl, len(plain)+indexes-8)
			})
		}
		require.False(t, slices.ContainsFunc(plain, func(text string) bool { return strings.Contains(text, "tpox_ts_") }))
	}
}

func TestParseURL_Design(t *testing.T) {
	none := func(string) string { return "" }
	parsed, err := parseURL("db2://u@h/d?design=few_indexes", none)
	require.NoError(t, err)
	require.Equal(t, FewIndexes, parsed.settings.Design)
	_, err = parseURL("db2://u@h/d?design=columns", none)
	require.ErrorContains(t, err, "the setting design is none of uncompressed, out_of_line, few_indexes, many_indexes")
}
