package db2

import (
	"database/sql/driver"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/storetest"
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

// Documents are read as VARCHAR, which Db2 sends with the block of rows; only a kept answer is a CLOB at first. A
// statement with a CLOB returns its length. The driver's buffer, twice the declared size, has at most 128 KB.
func TestDocuments_Types(t *testing.T) {
	for name, text := range statements {
		first := declaredSize.FindString(text)
		if first == "" || strings.HasPrefix(name, "all_") { // verify has one buffer for a whole table
			continue
		}
		lob := strings.HasPrefix(first, "AS CLOB")
		require.Equal(t, name == "get_kept", lob, name)
		require.Equal(t, lob, strings.HasPrefix(text, measuring), name)
		require.True(t, strings.HasPrefix(widened(text, widths[1]), measuring), name)
		require.LessOrEqual(t, 2*(declaredBytes(text)+1), 128<<10, name)
	}
}

// double returns the same double as parsing the text of the decimal number.
func TestDouble(t *testing.T) {
	for _, scaled := range []int64{0, 1, 3, 7, 10, 201234, 254999, 1e12 - 1, 9_999_999_999_999} {
		text := strconv.FormatInt(scaled/1e4, 10) + "." + strconv.FormatInt(10000+scaled%1e4, 10)[1:]
		want, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		require.Equal(t, want, double(scaled), text) //nolint:testifylint // exactly
	}
}

// Each statement of a transaction is traced once, by its name, in the context of the transaction; a repeated statement,
// for a document that is longer than the declared type, is traced again.
func TestStore_Trace(t *testing.T) {
	doc := "<a>" + strings.Repeat("x", 9000) + "</a>"
	f := &fake{answer: func(query string, _ []driver.Value) (answer, error) {
		if strings.HasPrefix(nameOf(query), "get_") {
			return documentOf(query, doc)
		}
		return answer{changed: 1}, nil
	}}
	var tracer storetest.Tracer
	s := openWith(t, f, Options{Trace: tracer.Begin})
	ctx := storetest.Traced(t.Context())
	_, err := s.GetOrder(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, "get_order failed get_order", strings.Join(tracer.Take(), " "))
	require.NoError(t, s.DeleteOrder(ctx, tpox.Write{Now: noon}, 1))
	require.Equal(t, "delete_order", strings.Join(tracer.Take(), " "))
}

// Verify reads every document, whatever its length: also one that the driver takes for NULL.
func TestStored(t *testing.T) {
	sizes := []int{100, 1<<16 - 2, 1<<16 - 1, 1 << 16, 3<<16 - 1}
	f := &fake{answer: func(query string, _ []driver.Value) (all answer, err error) {
		for _, size := range sizes {
			one, err := documentOf(query, strings.Repeat("x", size))
			if err != nil {
				return all, err
			}
			all.rows = append(all.rows, one.rows...)
		}
		return all, nil
	}}
	s := open(t, f)
	var got []int
	for docs, err := range s.stored(t.Context(), dataset.Order) {
		require.NoError(t, err)
		for _, doc := range docs {
			got = append(got, len(doc))
		}
	}
	require.ElementsMatch(t, sizes, got)
	require.Len(t, strings.Fields(f.said()), 2, "the second query is for those that the driver took for NULL")
}
