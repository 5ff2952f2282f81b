package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/compare"
	"brokerage/internal/result"
	"brokerage/internal/testenv"
	"brokerage/internal/testenv/browsertest"
)

// pages returns a page of each kind.
func pages(t testing.TB) map[string]string {
	t.Helper()
	r := run("mixed", 100, 4000)
	r.Validity = result.Validity{Reasons: []string{strings.Repeat("a long reason ", 20)}}
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
	change := compare.Interval{Estimate: -0.031, Low: -0.039, High: -0.024}
	r := &compare.Result{
		Verdict: compare.Slower, Answer: "B is 3.1 % slower (95 %: 2.4 to 3.9 %), after 4 min 10 s", Tolerance: 0.02,
		Notes:        []string{"B is not durable: it may lose acknowledged writes when the power fails"},
		Figures:      []compare.Row{{Name: "throughput", Unit: "/s", A: 9351, B: 9061, Decides: true, Change: change}},
		Transactions: []compare.Row{{Name: "get_order", Unit: "ms, mean", A: 1.2, B: 1.3}},
	}
	r.Sides[0] = compare.SideResult{Name: "sqlite:a.db", Settings: map[string]string{"synchronous": "full"}}
	r.Sides[1] = compare.SideResult{Name: "sqlite:b.db", Settings: map[string]string{"synchronous": "normal"}}
	for i := range 50 {
		at, each := 5*float64(i), 0.02*math.Sin(float64(i))-0.031
		r.Blocks = append(r.Blocks, compare.Block{At: at, A: 9351, B: 9351 * (1 + each), Change: each})
		r.Looks = append(r.Looks, compare.Look{At: at, Interval: change})
	}
	var page, again bytes.Buffer
	require.NoError(t, WriteCompared(&page, r))
	wide := compare.Interval{Estimate: -0.031, Low: -1, High: 2.7e43}
	r.Looks = append(r.Looks, compare.Look{At: 250, Interval: wide})
	require.NoError(t, WriteCompared(&again, r))
	require.Equal(t, page.String(), again.String(), "a look that says nothing is not drawn")
	return page.String()
}

// A page does not scroll sideways on the screen of a phone or of a desk. Each figure shows its chart once, the style
// sheet is applied, and nothing but the page is loaded.
func TestPage_FitsBrowser(t *testing.T) {
	b := browsertest.Start(t)
	var files []string
	for name, page := range pages(t) {
		file := "file://" + testenv.File(t, name+".html", page)
		files = append(files, file)
		b.Open(file)
		for _, width := range []int{320, 700, 1280} {
			b.Call("Emulation.setDeviceMetricsOverride",
				map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false}, nil)
			measured := b.Run(`[document.documentElement.scrollWidth <= document.documentElement.clientWidth,
				[...document.querySelectorAll('svg.chart')].filter((s) => s.getBoundingClientRect().width > 0).length,
				getComputedStyle(document.body).maxWidth !== 'none'].join(' ')`)
			require.Equal(t, fmt.Sprintf("true %d true", strings.Count(page, "<figure>")), measured, "%s at %d", name, width)
		}
	}
	require.Empty(t, b.Complaints)
	require.Equal(t, files, b.Requested)
}
