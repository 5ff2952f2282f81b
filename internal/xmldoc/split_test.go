package xmldoc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/xmldoc"
)

// pieces returns the pieces of a stream: each with its line, and a mark if it is blank or broken.
func pieces(t testing.TB, r io.Reader, limit int) []string {
	t.Helper()
	s := xmldoc.NewSplitter(r, limit)
	var all []string
	for {
		p, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		mark := ""
		switch {
		case p.Broken != nil:
			mark = "!"
		case p.Blank:
			mark = "-"
		}
		all = append(all, fmt.Sprintf("%d%s %s", p.Line, mark, p.Bytes))
	}
}

func TestSplitter(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"Empty":   {"", nil},
		"Space":   {" \n\t\r\n", nil},
		"Lines":   {"<a/>\n<b>x</b>\n\n<c></c>", []string{"1 <a/>", "2 <b>x</b>", "4 <c></c>"}},
		"OneLine": {"<a/><b/> <c/>", []string{"1 <a/>", "1 <b/>", "1 <c/>"}},
		"Declarations": {"<?xml version='1.0'?>\n<a>\n</a>\n<?xml version='1.0'?><b/>\n",
			[]string{"1 <?xml version='1.0'?>\n<a>\n</a>", "4 <?xml version='1.0'?><b/>"}},
		"Comments": {
			"<!-- 1 <a> -->\n<?xml version='1.0'?>\n<!-- 2 --><a/><!-- 3 -->\n<?pi?>\n<?xml version='1.0'?><b/>\n<!-- 4 -->",
			[]string{"1- <!-- 1 <a> -->", "2 <?xml version='1.0'?>\n<!-- 2 --><a/><!-- 3 -->\n<?pi?>",
				"5 <?xml version='1.0'?><b/>\n<!-- 4 -->"},
		},
		"CommentBefore": {"<!-- c -->\n<a/>\n", []string{"1 <!-- c -->\n<a/>"}},
		"Hidden": {`<a b="</a>>" c='>"'><!-- </a> --><![CDATA[</a>]]>]]><?p </a>?><d e='/'/></a><f/>`,
			[]string{`1! <a b="</a>>" c='>"'><!-- </a> --><![CDATA[</a>]]>]]><?p </a>?><d e='/'/></a><f/>`}},
		"HiddenEnds": {`<a b="/a>>" c='>"'><!-- </a> --><![CDATA[</a>]]>]]><?p </a>?><d e='/'/></a><f/>`,
			[]string{`1 <a b="/a>>" c='>"'><!-- </a> --><![CDATA[</a>]]>]]><?p </a>?><d e='/'/></a>`, "1 <f/>"}},
		"Nested": {"<a><a><a/></a></a><b/>", []string{"1 <a><a><a/></a></a>", "1 <b/>"}},
		"Mark": {"\xEF\xBB\xBF<?xml version='1.0'?><a/>\n<b/>", []string{"1 \xEF\xBB\xBF<?xml version='1.0'?><a/>",
			"2 <b/>"}},
		"DocType": {"<!DOCTYPE a [<!ENTITY b '>]'>]><a/>\n<b/>", []string{"1 <!DOCTYPE a [<!ENTITY b '>]'>]><a/>",
			"2 <b/>"}},

		"UnclosedInDeclared": {"<?xml version='1.0'?>\n<a><b>\n<?xml version='1.0'?>\n<c/>\n",
			[]string{"1! <?xml version='1.0'?>\n<a><b>", "3 <?xml version='1.0'?>\n<c/>"}},
		"CutInTag": {"<?xml version='1.0'?>\n<a b='\n<?xml version='1.0'?><c/>",
			[]string{"1! <?xml version='1.0'?>\n<a b='", "3 <?xml version='1.0'?><c/>"}},
		"CutInComment": {"<?xml version='1.0'?>\n<a><!-- \n<?xml version='1.0'?>\n<c/>\n<d/>",
			[]string{"1! <?xml version='1.0'?>\n<a><!--", "3 <?xml version='1.0'?>\n<c/>", "5 <d/>"}},
		"DeclarationAlone": {"<?xml version='1.0'?>\n<?xml version='1.0'?><c/>", []string{"1! <?xml version='1.0'?>",
			"2 <?xml version='1.0'?><c/>"}},
		"UnclosedLine": {"<a/>\n<a><b></a>\n<a/>\n<a><!-- \n<a/>\n<a b='\n<a/>", []string{"1 <a/>", "2! <a><b></a>",
			"3 <a/>", "4! <a><!--", "5 <a/>", "6! <a b='", "7 <a/>"}},
		"ExtraEndTag": {"<a/>\n<a/></b>\n<c/>", []string{"1 <a/>", "2 <a/>", "2! </b>", "3 <c/>"}},
		"Junk":        {"<a/>\njunk\n<b/>", []string{"1 <a/>", "2! junk", "3 <b/>"}},
		"JunkFirst": {"junk\n<b/>\n<?xml version='1.0'?><c/>", []string{"1! junk\n<b/>",
			"3 <?xml version='1.0'?><c/>"}},
		"JunkAfter":     {"<a/>\n<a/>junk\n<b/>", []string{"1 <a/>", "2 <a/>", "2! junk", "3 <b/>"}},
		"LinesThenMany": {"<a/>\n<b>\n<c/>\n</b>\n<d/>", []string{"1 <a/>", "2 <b>\n<c/>\n</b>", "5 <d/>"}},
		"DocTypeUnclosed": {"<?xml version='1.0'?><!DOCTYPE a '\n<?xml version='1.0'?><b/>",
			[]string{"1! <?xml version='1.0'?><!DOCTYPE a '", "2 <?xml version='1.0'?><b/>"}},
		"CommentAfterUnended": {"<a/>\n<!-- \n<b/>", []string{"1 <a/>", "2! <!--", "3 <b/>"}},
		// Text that was skipped in a broken document is read again after it.
		"CommentPassed": {"<a/>\n<a><b>\n<c><!-- 1 --></c>\n<d><!-- \n<e/>", []string{"1 <a/>", "2! <a><b>",
			"3 <c><!-- 1 --></c>", "4! <d><!--", "5 <e/>"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, pieces(t, strings.NewReader(c.in), 0))
			require.Equal(t, c.want, pieces(t, iotest.OneByteReader(strings.NewReader(c.in)), 0))
			require.Equal(t, c.want, pieces(t, iotest.DataErrReader(strings.NewReader(c.in)), 0))
		})
	}
}

func TestSplitter_Limit(t *testing.T) {
	long := "<a>" + strings.Repeat("x", 100) + "</a>"
	require.Equal(t, []string{"1 " + long, "2 <b/>"}, pieces(t, strings.NewReader(long+"\n<b/>"), len(long)))

	// Documents on lines, then with declarations.
	in := "<b/>\n" + long + "\n<b/>"
	require.Equal(t, []string{"1 <b/>", "2! " + long[:50], "2! " + long[50:100], "2! " + long[100:], "3 <b/>"}, pieces(t,
		strings.NewReader(in), 50))
	in = long + "\n<?xml version='1.0'?><b/>"
	require.Equal(t, []string{"1! " + long[:50], "1! " + long[50:100], "1! " + long[100:], "2 <?xml version='1.0'?><b/>"},
		pieces(t, strings.NewReader(in), 50))
}

func TestSplitter_ReadError(t *testing.T) {
	broken := errors.New("broken")
	s := xmldoc.NewSplitter(io.MultiReader(strings.NewReader("<a/>\n<b>"), iotest.ErrReader(broken)), 0)
	p, err := s.Next()
	require.NoError(t, err)
	require.Equal(t, "<a/>", string(p.Bytes))
	_, err = s.Next()
	require.ErrorIs(t, err, broken)
}

// For any stream: no byte except white space is lost, nothing is larger than allowed, and a document that Admit accepts
// is one piece.
func FuzzSplitter(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s), uint16(0))
		f.Add([]byte("<x/>\n"+s+"\n<?xml version='1.0'?>\n<y>\n"+s), uint16(20))
	}
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		limit := int(size)
		if limit == 0 {
			limit = 1 << 20
		}
		s := xmldoc.NewSplitter(bytes.NewReader(src), limit)
		last, broken, documents := int64(0), false, 0
		for {
			p, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			require.NotEmpty(t, p.Bytes)
			require.LessOrEqual(t, len(p.Bytes), limit)
			begin := last + int64(bytes.Index(src[last:], p.Bytes))
			require.Empty(t, bytes.Trim(src[last:begin], " \t\r\n"))
			require.Equal(t, 1+bytes.Count(src[:begin], []byte("\n")), p.Line)
			last = begin + int64(len(p.Bytes))
			broken = broken || p.Broken != nil
			if !p.Blank {
				documents++
			}
		}
		require.Empty(t, bytes.Trim(src[last:], " \t\r\n"))
		if _, err := xmldoc.Admit(src, xmldoc.Limits{}); err == nil && len(src) <= limit && !bytes.HasPrefix(src,
			[]byte("\xFF\xFE")) && !bytes.HasPrefix(src, []byte("\xFE\xFF")) {
			require.False(t, broken)
			require.Equal(t, 1, documents)
		}
	})
}

// Broken streams do not make a Splitter read everything repeatedly: a stream of 16 times the size costs at most four
// times as much as 16 streams, where a quadratic cost would be 16 times as much. See TestAdmit_LinearCost.
func TestSplitter_Linear(t *testing.T) {
	for name, line := range map[string]string{
		"Elements":        "<x%d>\n",
		"Comments":        "<x%d><!--\n",
		"CommentsInside":  "<x%d><!--\n-->\n",
		"Tags":            "<x%d b='\n",
		"DocTypes":        "<!DOCTYPE x%d '\n",
		"CData":           "<x%d><![CDATA[\n",
		"DeclaredComment": "<?xml version='1.0'?><x%d><!--\n",
		"DeclaredDocType": "<?xml version='1.0'?><!DOCTYPE x%d '\n",
		"DeclaredElement": "<?xml version='1.0'?><x%d>\n",
		"Instruction":     "<?p%d\n",
	} {
		for before, limit := range map[string]int{"": 0, "<a/>\n": 0, "<b/>\n": 64 << 10} { // less than the larger stream
			t.Run(name+before, func(t *testing.T) {
				runtime.LockOSThread() // whose time is measured
				defer runtime.UnlockOSThread()
				const n, factor, slack, runs = 2000, 16, 4, 3
				cost := func(lines, times int) time.Duration {
					var b bytes.Buffer
					b.WriteString(before)
					for i := range lines {
						fmt.Fprintf(&b, line, i)
					}
					best := time.Hour
					for range runs {
						start := processorTime(t)
						for range times {
							s := xmldoc.NewSplitter(bytes.NewReader(b.Bytes()), limit)
							for _, err := s.Next(); err == nil; _, err = s.Next() {
							}
						}
						best = min(best, processorTime(t)-start)
					}
					return best
				}
				require.LessOrEqual(t, cost(factor*n, 1), slack*cost(n, factor))
			})
		}
	}
}
