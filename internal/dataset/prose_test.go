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

// Descriptions do not repeat sentences: hardly any long sentence occurs twice.
func TestAppend_DescriptionsVary(t *testing.T) {
	t.Parallel()
	d := open(t, "XXXS", dataset.TPoX2)
	seen, total, again := map[string]bool{}, 0, 0
	each(d, dataset.Security, 0, 1500, func(_ int64, doc []byte) {
		for sentence := range strings.SplitSeq(string(text(doc, "Description")), ". ") {
			if len(sentence) < 60 {
				continue
			}
			total++
			if seen[sentence] {
				again++
			}
			seen[sentence] = true
		}
	})
	t.Logf("%d of %d sentences occur again", again, total)
	require.Less(t, float64(again), 0.10*float64(total))
}

// Descriptions of funds mention sectors less than those of companies, and industries are those of the sector.
func TestAppend_Sectors(t *testing.T) {
	t.Parallel()
	d := open(t, "XXXS", dataset.TPoX2)
	sectors, industries := map[string]int{}, map[string]string{}
	funds, withSector := 0, 0
	each(d, dataset.Security, 0, fewer(20_833), func(i int64, doc []byte) {
		sector := string(text(doc, "Sector"))
		if strings.Contains(string(text(doc, "SecurityType")), "Fund") {
			funds++
			if sector != "" {
				withSector++
			}
		} else {
			check(t, sector != "", "security %d has no sector", i)
		}
		sectors[sector]++
		for _, industry := range texts(doc, "Industry") {
			other, known := industries[string(industry)]
			check(t, !known || other == sector, "security %d: %s in %s and %s", i, industry, sector, other)
			industries[string(industry)] = sector
		}
	})
	require.InDelta(t, 0.70, float64(withSector)/float64(funds), 0.03)
	require.Len(t, sectors, 13) // and none
	t.Log(sectors)
	require.Greater(t, sectors["Technology"], 5*sectors["Conglomerates"])
	require.Greater(t, len(industries), 90)
}
