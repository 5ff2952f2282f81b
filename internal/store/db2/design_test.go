package db2

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each design differs from the default one in what its name says.
func TestDesign(t *testing.T) {
	for _, s := range []Setup{Box, Tuned} {
		plain := Options{Schema: "S", Setup: s}.DDL()
		for _, d := range Designs {
			t.Run(string(s)+"/"+string(d), func(t *testing.T) {
				ddl := Options{Schema: "S", Setup: s, Design: d}.DDL()
				all := strings.Join(ddl, ";\n")
				count := func(text string) int { return strings.Count(all, text) }
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
					indexes = 24
				}
				require.Equal(t, compressed, count(" COMPRESS YES ADAPTIVE "))
				require.Equal(t, inline, count(" INLINE LENGTH 16288"))
				require.Equal(t, indexes, count(" GENERATE KEY USING XMLPATTERN"))
				if d == ManyIndexes { // as many as the study of 2006 had on each table
					require.Equal(t, []int{10, 5, 9}, []int{count(" ON custacc ("), count(" ON orders ("), count(" ON security (")})
				}
				require.Equal(t, 8, count("CREATE TABLE "))
				require.Len(t, ddl, len(plain)+indexes-8)
			})
		}
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
