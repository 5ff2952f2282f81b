package httpapi

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const searched = "/v1/securities?sector=Technology&peMin=0&peMax=1000&yieldMin=0"

var hitForm = regexp.MustCompile(`<Security>.*?</Security>`)

// next returns the target of the next page, or "" on the last one.
func next(t testing.TB, a answer) string {
	t.Helper()
	links := a.Header["Link"]
	require.Equal(t, `</schema/security-messages.xsd>; rel="describedby"`, links[0])
	if len(links) == 1 {
		return ""
	}
	require.Len(t, links, 2)
	target, found := strings.CutSuffix(links[1], `>; rel="next"`)
	require.True(t, found, links[1])
	return strings.TrimPrefix(target, "<")
}

// The pages of a search are its answer in parts, and only the last one has no successor.
func TestSearch_Pages(t *testing.T) {
	s := fresh(t, Options{})
	whole := ask(s, "GET", searched, "")
	require.Empty(t, next(t, whole))
	all := hitForm.FindAllString(whole.body, -1)
	require.Greater(t, len(all), 6)
	for _, limit := range []int{1, 3, len(all), len(all) + 1} {
		var got []string
		pages := 0
		for target := searched + "&other=1&limit=" + strconv.Itoa(limit); target != ""; pages++ {
			a := ask(s, "GET", target, "")
			require.Equal(t, 200, a.StatusCode, a.body)
			requireConforms(t, "search_securities", a)
			hits := hitForm.FindAllString(a.body, -1)
			require.Contains(t, a.body, `count="`+strconv.Itoa(len(hits))+`"`)
			require.LessOrEqual(t, len(hits), limit)
			require.NotEmpty(t, hits)
			got = append(got, hits...)
			target = next(t, a)
			require.NotContains(t, target, "other", "a parameter that is not of the search")
		}
		require.Equal(t, all, got, limit)
		require.Equal(t, (len(all)+limit-1)/limit, pages)
	}
	nothing := ask(s, "GET", strings.Replace(searched, "Technology", "None", 1)+"&limit=5", "")
	require.Contains(t, nothing.body, `count="0"`)
	require.Empty(t, next(t, nothing))
}

// A cursor is valid with any limit, but not for another search, and not without a limit.
func TestSearch_Cursor(t *testing.T) {
	s := fresh(t, Options{})
	target := next(t, ask(s, "GET", searched+"&limit=2", ""))
	u, err := url.Parse(target)
	require.NoError(t, err)
	cursor := u.Query().Get("cursor")
	with := func(query string) answer { return ask(s, "GET", searched+query, "") }
	require.Equal(t, ask(s, "GET", target, "").body, with("&limit=2&cursor="+cursor).body)
	require.Equal(t, 200, with("&limit=7&cursor="+cursor).StatusCode)

	for name, bad := range map[string]string{
		"Cut": cursor[:len(cursor)-1], "NotBase64": "*" + cursor, "Changed": "AAAA" + cursor[4:], "Empty": "",
	} {
		a := with("&limit=2&cursor=" + url.QueryEscape(bad))
		requireProblem(t, a, 400, "bad-cursor")
		requireConforms(t, "search_securities", a)
		require.Empty(t, a.Header["Link"], name)
	}
	for _, other := range []string{"sector=Energy", "peMin=1", "peMax=999", "yieldMin=1"} {
		name, _, _ := strings.Cut(other, "=")
		query := regexp.MustCompile(name+`=[^&]*`).ReplaceAllString(searched, other)
		requireProblem(t, ask(s, "GET", query+"&limit=2&cursor="+cursor, ""), 400, "bad-cursor")
	}
	for _, query := range []string{
		"&cursor=" + cursor, "&limit=0", "&limit=1001", "&limit=x", "&limit=", "&limit=1&limit=2",
	} {
		requireProblem(t, with(query), 400, "bad-request")
	}
}
