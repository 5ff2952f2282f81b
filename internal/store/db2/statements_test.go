package db2

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
)

func TestSplit(t *testing.T) {
	require.Equal(t, []string{"SELECT 1", "SELECT 'a;b--c''d;' FROM t"},
		split("-- first; of two\nSELECT 1;\n-- second\nSELECT 'a;b--c''d;' FROM t -- end\n;\n\n"))
	require.Empty(t, split("-- nothing\n"))
}

// The file of every statement names the index that serves it and its pages of the manual; the text that is sent does
// not.
func TestStatements(t *testing.T) {
	require.NotEmpty(t, statements)
	for name, text := range statements {
		require.NotEmpty(t, text, name)
		require.NotContains(t, text, "--", name)
		require.Zero(t, strings.Count(text, "'")%2, name)
		if !strings.Contains(text, "XMLEXISTS") {
			continue
		}
		require.Regexp(t, `(?m)^-- .*[Ii]ndex(es)? \w+`, source(name), name)
		require.Contains(t, source(name), "-- Manual: ", name)
		// A condition outside [] holds for every row.
		require.Contains(t, text, "XMLEXISTS('\n", name)
	}
}

// The driver drops an error that comes with a statement's second result, so that only procedures that report it with
// the first may have one.
func TestStatements_OneResult(t *testing.T) {
	procedure := regexp.MustCompile(`\bCALL\s+(\S+?)\(`)
	for name, text := range statements {
		for _, called := range procedure.FindAllStringSubmatch(text, -1) {
			require.Regexp(t, `^SYSPROC\.(ADMIN_CMD|XSR_REGISTER|XSR_COMPLETE)$`, called[1], name)
		}
		if strings.HasPrefix(text, "BEGIN") {
			require.Regexp(t, procedure, text, name)
		}
	}
}

// A page is cut where no client may have more.
func TestStatements_Page(t *testing.T) {
	require.Contains(t, statements["search_securities_page"], fmt.Sprintf("FETCH FIRST %d ROWS ONLY", brokerage.MaxHits+1))
}

func TestDDL(t *testing.T) {
	for _, s := range []Setting{Box, Tuned} {
		all := DDL(s, DefaultDesign)
		count := func(prefix string) (n int) {
			for _, text := range all {
				if strings.HasPrefix(text, prefix) {
					n++
				}
			}
			return n
		}
		require.Equal(t, 8, count("CREATE TABLE "), s)
		require.Equal(t, 9, count("CREATE INDEX")+count("CREATE UNIQUE INDEX"), s)
		require.NotEmpty(t, configuration(s))
	}
}
