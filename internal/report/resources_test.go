package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/report/chart"
	"brokerage/internal/result"
)

func TestPage_Resources(t *testing.T) {
	page := part(t, html(t, FromCampaign(madeUpCampaign())), "resources")
	for _, caption := range []string{"Processor", "Disk operations of the computer", "Bytes of the disks",
		"Connections of the database"} {
		require.Equal(t, 1, strings.Count(page, "<figcaption>"+caption+"</figcaption>"), caption)
	}
	require.Contains(t, page, "Over time: mixed at 100 users", "of all, the workload with most transactions")
	require.Equal(t, 1, strings.Count(page, "the kernel does not count it"), "said once")
	require.Contains(t, page, ">customers, TOAST<")
	require.Contains(t, page, "97.90 %", "of the cache")
}

// A figure that was not read is a dash in a table, not 0.
func TestPage_ResourcesMissing(t *testing.T) {
	r := run("mixed", 100, 4000)
	host := func() []string {
		_, computer, _ := strings.Cut(part(t, html(t, &File{Run: &r}), "resources"), "The whole computer")
		return cells(t, computer, "mixed")
	}
	require.NotContains(t, host()[3:], "–")
	r.Resources.Series = slices.DeleteFunc(r.Resources.Series, func(s result.Series) bool { return s.Figure == "reads" })
	require.Equal(t, "–", host()[4])
	require.NotContains(t, host()[5:], "–")
}

// A counter contributes its rate between two samples. A sum leaves out figures that were not read.
func TestSampled(t *testing.T) {
	r := &result.Resources{Seconds: []float64{0, 1, 3}, Series: []result.Series{
		{Of: "host", Figure: "userSeconds", Counts: true, Values: []float64{0, 2, 3}},
		{Of: "host", Figure: "systemSeconds", Counts: true, Values: []float64{0, 1, 1}},
		{Of: "store", Figure: "in_use", Values: []float64{7, 8, 9}},
	}}
	busy := sampled(r, "host", 10, "userSeconds", "systemSeconds", "x")
	require.Equal(t, []chart.Point{{X: 1, Y: 30}, {X: 3, Y: 5}}, busy)
	require.Equal(t, []chart.Point{{X: 1, Y: 8}, {X: 3, Y: 9}}, sampled(r, "store", 1, "in_use"))
	require.Empty(t, sampled(r, "host", 1, "x"))
}
