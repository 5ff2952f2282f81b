package dataset_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

// Descriptions are mixed content: text, keywords, and white space at their borders that a store must not lose.
func TestAppend_Descriptions(t *testing.T) {
	t.Parallel()
	d := open(t, "XXXS", dataset.TPoX2)
	tag := regexp.MustCompile(`<(\w+)>`)
	blanks := regexp.MustCompile(` {2}|\w [,.;]`)
	articles := regexp.MustCompile(` a [aeio]\w+| an [bcdfgjklmnpqrstvwxyz]\w+`)
	keywords := map[string]int{}
	outer, inner, adjacent, ampersands := 0, 0, 0, 0
	each(d, dataset.Security, 0, fewer(2000), func(i int64, doc []byte) {
		description := string(text(doc, "Description"))
		for _, m := range tag.FindAllStringSubmatch(description, -1) {
			keywords[m[1]]++
		}
		plain := tag.ReplaceAllString(strings.NewReplacer("</", "<", " <", "<", "> ", ">").Replace(description), "")
		check(t, !blanks.MatchString(plain), "security %d: %q", i, blanks.FindString(plain))
		check(t, !articles.MatchString(plain), "security %d: %q", i, articles.FindString(plain))
		check(t, !strings.ContainsAny(description, "{}[]|"), "security %d: notation left in %s", i, description)
		outer += strings.Count(description, "Summary> ") + strings.Count(description, "Description> ")
		inner += strings.Count(description, " </")
		adjacent += strings.Count(description, "</Product> <Product>")
		ampersands += strings.Count(description, "&amp;")
	})
	for name := range strings.FieldsSeq("CEO Product Competitor Assets Rating Manager Risk Cost Dividend Strategy " +
		"Holdings Index Keyword") {
		require.NotZero(t, keywords[name], "no %s", name)
	}
	require.NotZero(t, outer)
	require.NotZero(t, inner)
	require.NotZero(t, adjacent)
	require.NotZero(t, ampersands)
}
