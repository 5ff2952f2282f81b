package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/compare"
	"brokerage/internal/result"
	"brokerage/internal/testenv/browsertest"
)

// pages returns a page of each kind.
func pages(t testing.TB) map[string]string {
	t.Helper()
	r := run("mixed", 100, 4000, 1)
	r.Validity = result.Validity{Reasons: []string{"the load generator used 85 % of its processors; below 80 % is " +
		"allowed"}}
	r.Curve = madeUpCurve()
	return map[string]string{
		"campaign": html(t, FromCampaign(madeUpCampaign())),
		"run":      html(t, &File{Name: "run.json", Run: &r}),
		"compared": comparedPage(t),
	}
}

// comparedPage returns the page of a comparison by slices.
func comparedPage(t testing.TB) string {
	t.Helper()
	r := &compare.Result{
		Verdict: compare.Slower, Answer: "B is 3.1 % slower (95 %: 2.4 to 3.9 %), after 4 min 10 s", Tolerance: 0.02,
		Notes: []string{"B is not durable: it may lose acknowledged writes when the power fails"},
		Figures: []compare.Row{{Name: "throughput", Unit: "/s", A: 9351, B: 9061, Decides: true, More: true,
			Change: compare.Interval{Estimate: -0.031, Low: -0.039, High: -0.024}}},
		Transactions: []compare.Row{{Name: "get_order", Unit: "ms, mean", A: 1.2, B: 1.3}},
	}
	r.Sides[0] = compare.SideResult{Name: "sqlite:a.db", Settings: map[string]string{"synchronous": "full"}}
	r.Sides[1] = compare.SideResult{Name: "sqlite:b.db", Settings: map[string]string{"synchronous": "normal"}}
	for i := range 50 {
		at, change := 5*float64(i), 0.02*math.Sin(float64(i))-0.031
		r.Blocks = append(r.Blocks, compare.Block{At: at, A: 9351, B: 9351 * (1 + change), Change: change})
		if i%10 == 9 {
			half := 0.1 / float64(i)
			r.Looks = append(r.Looks, compare.Look{At: at,
				Interval: compare.Interval{Estimate: -0.031, Low: -0.031 - half, High: -0.031 + half}})
		}
	}
	var page bytes.Buffer
	require.NoError(t, WriteCompared(&page, r))
	return page.String()
}

// A page fits the screen of a phone and of a desk: wide tables scroll, the page does not scroll sideways. Frames are
// measured from the page around them, since the report itself runs no script. They are so high that none has a scroll
// bar.
func TestPage_FitsBrowser(t *testing.T) {
	all := pages(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/" {
			_, _ = io.WriteString(w, all[filepath.Base(r.URL.Path)])
			return
		}
		var around strings.Builder
		around.WriteString("<!DOCTYPE html><body>")
		for name := range all {
			for _, width := range []int{320, 360, 700, 1280} {
				fmt.Fprintf(&around, `<iframe src="/%d/%s" style="border:0; width:%dpx; height:99999px"></iframe>`, width, name,
					width)
			}
		}
		_, _ = io.WriteString(w, around.String())
	}))
	t.Cleanup(server.Close)

	b := browsertest.Start(t)
	b.Open(server.URL + "/")
	frames, ok := b.Run(`[...document.querySelectorAll('iframe')].map((f) => {
		const d = f.contentDocument, charts = [...d.querySelectorAll('svg.chart')];
		const shown = charts.filter((s) => s.getBoundingClientRect().width > 0);
		return [f.getAttribute('src'), d.documentElement.scrollWidth, shown.length, d.querySelectorAll('figure').length,
			getComputedStyle(d.body).maxWidth].join(' ');
	}).join('\n')`).(string)
	require.True(t, ok)
	measured := regexp.MustCompile(`(?m)^/(\d+)/(\w+) (\d+) (\d+) (\d+) (\S+)$`).FindAllStringSubmatch(frames, -1)
	require.Len(t, measured, 4*len(all))
	for _, m := range measured {
		require.Equal(t, m[1], m[3], "%s at %s pixels is as wide as its content", m[2], m[1])
		require.Equal(t, m[5], m[4], "each figure of %s at %s pixels shows its chart once", m[2], m[1])
		require.NotEqual(t, "none", m[6], "the style sheet of %s was applied", m[2])
	}
	require.Empty(t, b.Complaints)
	require.NotEmpty(t, b.Requested)
	for _, address := range b.Requested {
		require.Regexp(t, `^`+server.URL+`/(\d+/\w+|favicon\.ico)?$`, address)
	}
}
