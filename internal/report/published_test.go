package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/campaign"
	"brokerage/internal/tpox"
)

// Each published figure is compared with ours at the same number of users, or at the nearest, which is then stated.
// Figures whose users the papers do not give, and no others, are compared with our best, here at 300 users.
func TestPublished_Users(t *testing.T) {
	rates, users := 0.0, 0
	for _, p := range results {
		rates, users = rates+p.Rate, users+p.Users
	}
	require.Equal(t, []int{19, 95_924, 3225}, []int{len(results), int(rates), users}, "of the papers")
	for _, measured := range [][]int{{100, 300}, {25, 50, 75, 100, 125, 150, 200, 300, 600}} {
		record := new(campaign.Record)
		for _, name := range []string{"classic", "mixed", "query", "insert-orders", "insert-customers, not validated"} {
			record.Steps = append(record.Steps, steps(name, 4000, measured...)...)
			if last := record.Steps[len(record.Steps)-1]; last.Plan.Users > 300 {
				last.Run.TPS = 100 // beyond its best
			}
		}
		table := publishedSection(record, groupsOf(record)).Blocks[0].Table
		require.Len(t, table.Rows, len(results))
		for i, p := range results {
			ours, why := table.Rows[i].Cells[5].Text, table.Rows[i].Cells[6].Text
			near, reason := 300, "users not published, so ours is our best"
			if p.Users > 0 {
				distance := func(n int) int { return max(n-p.Users, p.Users-n) }
				near = slices.MinFunc(measured, func(a, b int) int { return distance(a) - distance(b) })
				reason = fmt.Sprintf("ours measured at %d users, not %d", near, p.Users)
			}
			require.Equal(t, strconv.Itoa(near), ours, "%s of %d", p.Workload, p.Year)
			require.Equal(t, near != p.Users, strings.Contains(why, reason), why)
		}
	}
}

// There is a published time for each transaction, and for nothing else. The counts add up to the published sums, and
// the mean times of queries are the papers' averages with more decimal places.
func TestPublishedTimes(t *testing.T) {
	var names []string
	counts := make(map[string]int64)
	for _, transaction := range tpox.Transactions {
		if transaction.Weight > 0 { // others are not TPoX's
			names = append(names, transaction.Name)
		}
		counts[transaction.Kind.String()] += publishedTimes[transaction.Name].count
	}
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(publishedTimes)))
	require.Equal(t, map[string]int64{
		"query": 34_011_891, "update": 6_806_323, "insert": 3_890_328, "delete": 3_886_554,
	}, counts)
	for name, mean := range map[string]float64{
		"get_order": 17.4, "get_security": 6.6, "customer_profile": 16.3, "search_securities": 59.0, "account_summary": 17.7,
		"get_security_price": 6.3, "customer_max_order": 52.3,
	} {
		require.InDelta(t, mean, publishedTimes[name].mean(), 0.05, name)
	}
}

// The largest difference comes first: how faithful the store is.
func TestPage_Published(t *testing.T) {
	c := madeUpCampaign()
	for _, g := range groupsOf(c) {
		g.Run.Faithful = partly
	}
	page := part(t, html(t, FromCampaign(c)), "published")
	require.Equal(t, unfaithful(groupsOf(c)[0].Run)+"; 1.21 GB of data, not 1 TB; 2 cores, not 24; load generator on the "+
		"same host; profile tpox-2, not tpox-1; hardware and storage of 2008", cells(t, page, "17 transactions")[6])
	require.Equal(t, "2,685 63.8 GB/h", cells(t, page, "insert CustAcc, not validated")[4], "not the validated inserts")
	require.Contains(t, page, "here insert-customers, not validated<")
	require.Equal(t, []string{"get_order Q1", "4,859,631", "17.4"}, cells(t, page, "get_order")[:3])

	c.Steps = steps("query", 4000, 100)
	page = part(t, html(t, FromCampaign(c)), "published")
	require.Equal(t, "not measured here", cells(t, page, "17 transactions")[6], "the papers' figures are shown anyway")
	require.Empty(t, publishedSection(c, nil).Blocks)
}
