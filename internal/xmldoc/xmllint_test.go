package xmldoc_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
	"brokerage/internal/xmldoc"
)

// oddities are hand-written documents; most are barely well-formed, or barely not.
var oddities = []string{
	"", " ", "a", "<", "<a", "<a b", "<a b=", "<a b='", "<a/", "<a/ >", "<a / >", "<a></", "<!", "<!--", "<!--x--", "<?",
	"<?x", "<a><![CDATA[", "<a>&",
	"<a/> \n\t\r", "<a/>\f", "<a>\f</a>", "<a/>x", "<a/>&#32;", "<a/><b/>", "<a/></a>", "</a>", "<a><b></a></b>",
	"<a></A>", "<a></a\n>", "<a></ a>", "<a//>",
	"<a b='1' b = '2'/>", "<a\tb='1'\r\nc='2'\n/>", "<a b=''c=''/>", "<a b=''/ >", "<a b==''/>", "<a =''/>", "<a b=x/>",
	"<a b='x\"/>", "<a b=\"'\" c='\"'/>", "<a b='<'/>", "<a b='>]]>'/>",
	"<!--->--><a/>", "<!--> --><a/>", "<!----><a/>", "<!-----><a/>", "<!-- - --><a/>", "<!-- -- --><a/>",
	"<a><!- - --></a>", "<a/><!-- x --><?y?>",
	"<?a?><a/>", "<?a ??><a/>", "<?a?b?><a/>", "<?xml-stylesheet href='x'?><a/>", "<?xmlx?><a/>", "<?Xml a?><a/>",
	"<?x:y?><a/>", "<?é é?><a/>", "<?é×?><a/>",
	"<a>]]></a>", "<a>]]<b/>></a>", "<a>]]<!-- -->></a>", "<a>]]<![CDATA[]]>></a>", "<a>]&#93;></a>", "<a>]]&gt;</a>",
	"<a><![CDATA[]]]]>></a>", "<a><![CDATA[]]]]><![CDATA[>]]></a>", "<a><![cdata[]]></a>",
	"<a>\r\n\r\r\n</a>", "<a>&#13;\r</a>", "<a><![CDATA[\r\r\n]]></a>", "<a b='\r\n\r \t\n'/>",
	"<a b='&#13;&#10;&#9;&#32;'/>", "<a b=' x  y '/>",
	"<a>&lt</a>", "<a>&lt ;</a>", "<a>&LT;</a>", "<a>&;</a>", "<a>&#;</a>", "<a>&#x;</a>", "<a>&#X41;</a>", "<a>&#1;</a>",
	"<a>&#xFFFE;</a>", "<a>&#xD7FF;&#xE000;&#xFFFD;&#x10FFFF;</a>", "<a>&#xDFFF;</a>",
	"<a>&#6_5;</a>", "<a>&#0x41;</a>", "<a>&#x-1;</a>", "<a>&#4294967361;</a>", "<a>&#x100000041;</a>",
	"<a>&amp;amp;&apos;&quot;</a>", "<a>&#١;</a>",
	"<a xml:space='preserve'/>", "<a xml:lang=''/>", "<a xml:foo='1'/>", "<xml:a/>", "<xml/>", "<a xmlfoo='1'/>",
	"<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>", "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
	"<a xmlns:xml='urn:x'/>", "<a xmlns:xmlns='urn:x'/>", "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
	"<a xmlns:p='urn:x' xmlns:q='urn:x' p:b='' q:b=''/>", "<a xmlns:p='urn:x' xmlns:q='urn:&#120;' p:b='' q:b=''/>",
	"<a xmlns='urn:x' xmlns:q='urn:x' b='' q:b=''/>",
	"<a xmlns:p='urn:x'><b xmlns:p=''/></a>", "<a xmlns:p='urn:x'><p:b xmlns:p='urn:y'/></a>",
	"<a xmlns:p='urn:x' p:xmlns='1'/>", "<a xmlns:='urn:x'/>", "<a xmlns:1='urn:x'/>", "<a xmlns:p:q='urn:x'/>",
	"<a :b=''/>", "<a b:=''/>", "<a:b:c xmlns:a='urn:x'/>", "<_:a xmlns:_='urn:x'/>", "<-a/>", "<a-.b_1/>",
	"<a:1 xmlns:a='urn:x'/>",
	"<·a/>", "<a·b/>", "<中文/>", "<日本語 属性='値'/>", "<a١/>", "<١/>", "<aー/>", "<\u0300a/>", "<a\u00a0/>", "<a\u0085/>",
	"<a\u2028b='1'/>",
	"<?xml version='1.0' ?><a/>", "<?xml\tversion\n=\r'1.0'?><a/>", "<?xml version=\"1.0' ?><a/>",
	"<?xml version='1.0'encoding='UTF-8'?><a/>", "<?xml version='1.0' encoding=''?><a/>",
	"<?xml version='1.0' standalone='YES'?><a/>",
	"<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>", "<?xml version='1.0' foo='x'?><a/>", "<?xml?><a/>",
	"<?xml version='1.0'><a/>", " <?xml version='1.0'?><a/>", "<?xml version='1.0'?><?xml version='1.0'?><a/>",
	"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe4\x85</a>", "<?xml version='1.0' encoding='US-ASCII'?><a>\xe9</a>",
	"<?xml version='1.0' encoding='US-ASCII'?><a>&#233;</a>",
	"\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-8'?><a/>", "\xEF\xBB\xBF\xEF\xBB\xBF<a/>",
	"\xFF\xFE<\x00a\x00/\x00>\x00", "\xFE\xFF\x00<\x00a\x00/\x00>",
	"\xFF\xFE<\x00a\x00>\x00\x3d\xd8\x00\xde<\x00/\x00a\x00>\x00",
	"<a>\xc0\x80</a>", "<a>\xf4\x90\x80\x80</a>", "<a>\xc3(</a>", "<a>\xed\xa0\x80</a>", "<a>\xef\xbf\xbf</a>",
	"<a>\xef\xb7\x90</a>", "<a b='\xc3'/>", "<a\xc3/>", "<!--\xc3--><a/>", "<?x \xc3?><a/>", "<!--\x01--><a/>",
	"<!--\ufffe--><a/>",
	"<a>\x7f\u0080\u009f\u0085\u2028</a>", "<a b='\u0085\u2028'/>",
}

// insertions are the texts that mutations insert.
var insertions = []string{
	"<", ">", "/", "&", ";", "'", "\"", "=", " ", "\n", "\r", "\t", "<!--", "-->", "--", "<?", "?>", "<![CDATA[", "]]>",
	"]", "xmlns", "xmlns:", ":", "p:", "a", "<a>", "</a>", "<b/>",
	"&#", "&#x", "&lt;", "&amp;", "&#0;", "&#xD800;", "\x01", "\x7f", "\xC2\x85", "\xEF\xBF\xBE", "\xEF\xBB\xBF", "\xFF",
	"\xED\xA0\x80", "é", "·", " xmlns:p=\"urn:z\"", " xmlns=\"\"", " p:x=\"\"", "<?xml version='1.0'?>", ".", "-", "0",
	"!", "<!",
}

func mutate(r *rand.Rand, doc []byte) []byte {
	for range max(1, r.IntN(5)-2) {
		at := r.IntN(len(doc) + 1)
		end := min(len(doc), at+r.IntN(4))
		var put []byte
		switch r.IntN(3) {
		case 0:
			put = []byte(insertions[r.IntN(len(insertions))])
		case 1:
			from := r.IntN(len(doc) + 1)
			put, end = doc[from:min(len(doc), from+1+r.IntN(12))], at
		}
		doc = slices.Concat(doc[:at], put, doc[end:])
	}
	return doc
}

// libxml2 must agree whether a document is well-formed, and if both accept it, its canonical XML must be the same after
// admission. The differences that the test allows are intended.
func TestAdmit_Xmllint(t *testing.T) {
	testenv.Long(t)
	testenv.Command(t, "xmllint")
	seeds := [][]byte{
		[]byte(account),
		[]byte(`<a xmlns="urn:u" id="1"><b>x</b><c d="e"><f/></c><g></g></a>`),
		[]byte(`<?xml version="1.0" encoding="UTF-8"?><!--c--><a b='&#9;"'>x<![CDATA[<&]]>]]&gt;<?p i?><b/></a>`),
		[]byte("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9\r\n\r</a>"),
		[]byte(`<p:a xmlns:p="urn:u" xmlns="urn:v" p:b="1" b="2"><c xmlns=""/><xml:d xml:e=""/></p:a>`),
		[]byte(`<a xmlns:p="urn:u" xmlns:q="urn:u" p:x="1" x="2"><q:b xmlns:p="urn:w" p:x='3' ` +
			`q:x="4">t&amp;&lt;&#x41;</q:b></a>`),
		[]byte("<a>\n<b c='\n\t x'>&#13;\r\n</b>]]&gt;</a>\n<!-- e --><?x y?>"),
		[]byte(`<Straße größe="1">€</Straße>`),
	}
	var docs [][]byte
	for _, s := range oddities {
		docs = append(docs, []byte(s))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 800 {
		docs = append(docs, mutate(r, seeds[i%len(seeds)]))
	}

	taken := 0
	for _, doc := range docs {
		got, err := xmldoc.Admit(doc, xmldoc.Limits{})
		_, complaint := xmllint(t, doc, "--noout")
		switch {
		case err == nil && complaint != "":
			require.Regexp(t, `is not a valid URI|xml:id :`, complaint, "taken, but xmllint refuses %q", doc)
		case err != nil && complaint == "":
			var refusal *xmldoc.Error
			require.ErrorAs(t, err, &refusal)
			decided := refusal.Reason == xmldoc.Encoding || refusal.Reason == xmldoc.Forbidden ||
				bytes.IndexByte(doc, 0) >= 0 || // where xmllint stops reading
				regexp.MustCompile(`XML version|is not a name`).MatchString(refusal.Msg)
			require.True(t, decided, "refused, but xmllint takes %q: %v", doc, err)
		case err == nil:
			before, complaint := xmllintCanonical(t, doc)
			if complaint != "" {
				continue // canonical XML has no relative names of namespaces
			}
			after, complaint := xmllintCanonical(t, got)
			require.Empty(t, complaint)
			require.Equal(t, before, after, "of %q", doc)
			taken++
		}
	}
	t.Logf("%d documents, %d taken by both and the same", len(docs), taken)
}

// notKept matches comments and processing instructions. In canonical XML nothing else looks like them.
var notKept = regexp.MustCompile(`(?s)<!--.*?-->|<\?.*?\?>`)

func xmllintCanonical(t testing.TB, doc []byte) (text, complaint string) {
	t.Helper()
	out, complaint := xmllint(t, doc, "--c14n")
	return strings.TrimSpace(notKept.ReplaceAllString(out, "")), complaint
}

// xmllint returns the output of xmllint, and its messages if it fails or one of them is an error.
func xmllint(t testing.TB, doc []byte, option string) (out, complaint string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "doc.xml")
	require.NoError(t, os.WriteFile(file, doc, 0o600))
	var written, said bytes.Buffer
	command := exec.CommandContext(t.Context(), "xmllint", "--nonet", option, file)
	command.Stdout, command.Stderr = &written, &said
	err := command.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	if err != nil || strings.Contains(said.String(), " error : ") {
		complaint = said.String() + " "
	}
	return written.String(), complaint
}
