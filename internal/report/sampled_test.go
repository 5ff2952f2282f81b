package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/result"
	"brokerage/internal/store"
)

// madeUpResources makes up samples of every sort, as a store on a server with all that the machine can count.
func madeUpResources(r *result.Run) *result.Resources {
	const samples = 60
	sampled := &result.Resources{Missing: []string{"generator: I/O wait of a process: the kernel does not count it"}}
	busy := float64(r.Model.Users) / float64(r.Model.Users+6)
	for i := range samples + 1 {
		sampled.Seconds = append(sampled.Seconds, float64(i)*r.Measured/samples)
	}
	add := func(counts bool, value func(i int) float64, of string, figures ...string) {
		for _, figure := range figures {
			s := result.Series{Of: of, Figure: figure, Counts: counts}
			for i := range sampled.Seconds {
				s.Values = append(s.Values, value(i))
			}
			sampled.Series = append(sampled.Series, s)
		}
	}
	counter := func(rate float64, of string, figures ...string) {
		add(true, func(i int) float64 { return rate * sampled.Seconds[i] }, of, figures...)
	}
	state := func(most float64, of string, figures ...string) {
		add(false, func(i int) float64 { return math.Round(most * (.8 + .2*math.Sin(float64(i)))) }, of, figures...)
	}
	counter(.9*busy, result.OfHost, "userSeconds", "systemSeconds", "ioWaitSeconds")
	counter(.4*r.TPS, result.OfHost, "reads", "writes")
	counter(900*r.TPS, result.OfHost, "readBytes", "writeBytes")
	for _, of := range []string{result.OfGenerator, result.OfService, result.OfDatabase} {
		counter(.3*busy, of, "userSeconds", "systemSeconds")
		state(3e8, of, "memory")
	}
	state(16*busy, result.OfStore, "brokerage_store_connections_in_use")
	counter(1.8*r.TPS, result.OfStore, "brokerage_store_page_hits_total", "brokerage_store_page_misses_total")
	counter(14*r.TPS, result.OfStore, "brokerage_store_cache_hits_total")
	counter(.3*r.TPS, result.OfStore, "brokerage_store_cache_misses_total")
	n := r.Total.Count
	sampled.Pools = []store.PoolStats{{Name: "orders", Hits: 6 * n, Misses: n * int64(r.Model.Users) / 100},
		{Name: "orders, indexes", Hits: 9 * n, Misses: n / 50}, {Name: "customers, TOAST", Hits: 2 * n, Misses: n / 9},
		{Name: "nobody's"}}
	return sampled
}

// sampledCampaign is madeUpCampaign with resources in each run.
func sampledCampaign() *campaign.Record {
	c := madeUpCampaign()
	for i := range c.Steps {
		if r := c.Steps[i].Run; r != nil {
			r.Resources = madeUpResources(r)
		}
	}
	return c
}

func TestPage_Sampled(t *testing.T) {
	page := part(t, html(t, FromCampaign(sampledCampaign())), "resources")
	for _, caption := range []string{"Processor", "Disk operations of the computer", "Bytes of the disks",
		"Connections of the database"} {
		require.Equal(t, 1, strings.Count(page, "<figcaption>"+caption+"</figcaption>"), caption)
	}
	require.NotContains(t, page, "nobody", "no page of it was looked for")
	require.Contains(t, page, "Over time: mixed at 100 users", "of all, the workload with most transactions")
	require.Equal(t, 1, strings.Count(page, "the kernel does not count it"), "said once")
	require.Contains(t, page, ">customers, TOAST<")
	require.Contains(t, page, "97.90 %", "of the cache")
	require.NotContains(t, page, "store_page", "the pools have the pages")
}

// A figure that was not read is a dash in tables, and has no chart: it is not 0.
func TestPage_SampledWithout(t *testing.T) {
	r := run("mixed", 100, 4000, 1)
	r.Resources = madeUpResources(&r)
	host := func() []string {
		page := html(t, &File{Name: "run.json", Run: &r})
		requirePage(t, page)
		_, computer, _ := strings.Cut(part(t, page, "resources"), "The whole computer")
		return cells(t, computer, "mixed")
	}
	require.NotContains(t, host()[5:], "–")
	r.Resources.Series = slices.DeleteFunc(r.Resources.Series, func(s result.Series) bool { return s.Figure == "reads" })
	require.Equal(t, "–", host()[5])
	require.NotContains(t, host()[6:], "–")
}

// The rate of a counter is that between two samples, and a sum has those of its figures that were read.
func TestSampledLine(t *testing.T) {
	r := &result.Resources{Seconds: []float64{0, 1, 3}, Series: []result.Series{
		{Of: "host", Figure: "userSeconds", Counts: true, Values: []float64{0, 2, 3}},
		{Of: "host", Figure: "systemSeconds", Counts: true, Values: []float64{0, 1, 1}},
		{Of: "store", Figure: "in_use", Values: []float64{7, 8, 9}},
	}}
	ys := func(l sampledLine) (y []float64) {
		for _, p := range l.points(r) {
			y = append(y, p.X, p.Y)
		}
		return y
	}
	require.Equal(t, []float64{1, 30, 3, 5},
		ys(sampledLine{"", "host", 10, []string{"userSeconds", "systemSeconds", "x"}}))
	require.Equal(t, []float64{1, 8, 3, 9}, ys(sampledLine{"", "store", 1, []string{"in_use"}}))
	require.Empty(t, ys(sampledLine{"", "host", 1, []string{"x"}}))
}

// The best of several groups is a valid one, if there is any.
func TestBest(t *testing.T) {
	measured := func(tps float64, reasons ...string) group {
		return group{Run: &result.Run{TPS: tps, Validity: result.Validity{Valid: reasons == nil, Reasons: reasons}}}
	}
	slow, fast, invalid := measured(10), measured(20), measured(30, "it was not steady")
	require.Equal(t, fast, best([]group{slow, fast, invalid}))
	require.Equal(t, invalid, best([]group{invalid}))
}
