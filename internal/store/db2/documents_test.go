package db2

import (
	"database/sql/driver"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/tpox"
)

var declaredSize = regexp.MustCompile(`AS (?:CLOB|VARCHAR)\((\d+)([KM]?)\)(?: EXCLUDING XMLDECLARATION)?\) AS doc\b`)

// declaredBytes returns the size that a statement declares for its documents.
func declaredBytes(query string) int {
	m := declaredSize.FindStringSubmatch(query)
	n, _ := strconv.Atoi(m[1])
	return n * map[string]int{"": 1, "K": 1 << 10, "M": 1 << 20}[m[2]]
}

func TestDocuments(t *testing.T) {
	small := "VARCHAR(4096)"
	for name, c := range map[string]struct {
		length int
		said   string
	}{
		"Small":           {300, "get_order"},
		"Declared":        {4096, "get_order"},
		"Refused":         {4097, "get_order get_order:CLOB(256K)"},
		"TakenForNull":    {65535, "get_order get_order:CLOB(256K) get_order:CLOB(256K):padded"},
		"OneLess":         {65534, "get_order get_order:CLOB(256K)"},
		"TakenForNull3":   {3*65536 - 1, "get_order get_order:CLOB(256K) get_order:CLOB(256K):padded"},
		"BeyondTheSecond": {3 << 20, "get_order get_order:CLOB(256K) get_order:CLOB(16M)"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, statements["get_order"], small)
			doc := "<a>" + strings.Repeat("x", c.length-len("<a></a>")) + "</a>"
			f := &fake{answer: func(query string, _ []driver.Value) (answer, error) { return documentOf(query, doc) }}
			got, err := open(t, f).GetOrder(t.Context(), 1)
			require.NoError(t, err)
			require.Len(t, got, c.length)
			require.Equal(t, c.said, f.said())
		})
	}
}

// A document that cannot be read completely is not returned at all.
func TestDocuments_NeverCut(t *testing.T) {
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if query == statements["get_order"] {
			return answer{}, failure(codeOverDeclared, stateTooLong)
		}
		return answer{rows: [][]driver.Value{{int64(100), []byte("<a>")}}}, nil
	}}
	_, err := open(t, f).GetOrder(t.Context(), 1)
	var unavailable *tpox.Unavailable
	require.ErrorAs(t, err, &unavailable)
}

// The driver allocates twice what is declared, for each query.
func TestDocuments_Memory(t *testing.T) {
	for name, text := range statements {
		if strings.HasPrefix(name, "all_") || !declaredSize.MatchString(text) {
			continue // verify has one buffer for a whole table
		}
		require.LessOrEqual(t, 2*(declaredBytes(text)+1), 128<<10, name)
		require.NotEqual(t, text, widened(text, widths[1]), name)
	}
}

// Documents are read as VARCHAR, which Db2 sends with the block of rows; an answer that is kept is a CLOB already. A
// CLOB comes with its length.
func TestDocuments_Types(t *testing.T) {
	for name, text := range statements {
		first := declaredSize.FindString(text)
		if first == "" || strings.HasPrefix(name, "all_") {
			continue
		}
		lob := strings.HasPrefix(first, "AS CLOB")
		require.Equal(t, name == "get_kept", lob, name)
		require.Equal(t, lob, strings.HasPrefix(text, measuring), name)
		require.True(t, strings.HasPrefix(widened(text, widths[1]), measuring), name)
	}
}

func TestSearchSecurities_Rows(t *testing.T) {
	f := &fake{answer: func(string, []driver.Value) (answer, error) {
		row := func(s string) []driver.Value { return []driver.Value{[]byte(s)} }
		return answer{rows: [][]driver.Value{row("<Security/>"), row("<Security></Security>")}}, nil
	}}
	got, err := open(t, f).SearchSecurities(t.Context(), tpox.Search{Sector: "Energy", PEMin: 200001})
	require.NoError(t, err)
	require.Equal(t, `<Securities xmlns="http://tpox-benchmark.com/security" count="2">`+
		`<Security></Security><Security></Security></Securities>`, string(got))
}

// double returns the double that is nearest to the decimal as it is written.
func TestDouble(t *testing.T) {
	for _, scaled := range []int64{0, 1, 3, 7, 10, 201234, 254999, 1e12 - 1, 999_999_999_9999, 9_999_999_999_999, -1} {
		text := strconv.FormatInt(scaled/1e4, 10) + "." + strconv.FormatInt(10000+max(scaled, -scaled)%1e4, 10)[1:]
		if scaled < 0 {
			text = "-" + text
		}
		want, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		require.Equal(t, want, double(scaled), text) //nolint:testifylint // exactly
	}
}
