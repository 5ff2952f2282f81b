package report

import (
	"fmt"
	"maps"
	"slices"
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
	require.Len(t, results, 19)
	require.InDelta(t, 95_924, rates, 1, "of the papers")
	require.Equal(t, 3225, users, "of the papers")
	for _, measured := range [][]int{{300}, {100, 300}, {25, 50, 75, 100, 125, 150, 200, 300, 600}} {
		record := &campaign.Record{Machine: campaign.Machine{Machine: madeUpMachine()}, Dataset: madeUpDataset()}
		for _, name := range []string{"classic", "mixed", "query", "insert-orders", "insert-customers"} {
			all := steps(name, 4000, measured...)
			for i := range all {
				all[i].Run.Workload.Validate = name != "insert-customers"
				if measured[i] > 300 {
					all[i].Run.TPS = 100 // beyond its best
				}
			}
			record.Steps = append(record.Steps, all...)
		}
		groups := groupsOf(record)
		table := publishedSection(record, groups).Blocks[0].Table
		require.Len(t, table.Rows, len(results))
		for i, p := range results {
			theirs, ours, why := table.Rows[i].Cells[2].Text, table.Rows[i].Cells[5].Text, table.Rows[i].Cells[6].Text
			if p.Users == 0 {
				require.Equal(t, []string{"–", "300"}, []string{theirs, ours}, "our best")
				require.Contains(t, why, "users not published, so ours is our best")
				continue
			}
			chosen := alike(groups, p)[0].Users
			for _, n := range measured {
				require.LessOrEqual(t, max(chosen-p.Users, p.Users-chosen), max(n-p.Users, p.Users-n), "%s of %d", p.Workload,
					p.Year)
			}
			require.Equal(t, []string{whole(float64(p.Users)), whole(float64(chosen))}, []string{theirs, ours})
			require.Equal(t, chosen != p.Users,
				strings.Contains(why, fmt.Sprintf("ours measured at %d users, not %d", chosen, p.Users)), why)
		}
	}
}

// There is a published time for each transaction, and for nothing else; they add up to the published sums, and give the
// averages of the papers to more places.
func TestPublishedTimes(t *testing.T) {
	var names []string
	counts := make(map[string]int64)
	for _, transaction := range tpox.Transactions {
		if transaction.Weight > 0 { // others are not TPoX's
			names = append(names, transaction.Name)
		}
		counts[transaction.Kind.String()] += publishedTimes[transaction.Name].count
		counts["all"] += publishedTimes[transaction.Name].count
	}
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(publishedTimes)))
	require.Equal(t, map[string]int64{
		"query": 34_011_891, "update": 6_806_323, "insert": 3_890_328, "delete": 3_886_554, "all": 48_595_096,
	}, counts)
	for name, mean := range map[string]float64{
		"get_order": 17.4, "get_security": 6.6, "customer_profile": 16.3, "search_securities": 59.0, "account_summary": 17.7,
		"get_security_price": 6.3, "customer_max_order": 52.3,
	} {
		require.InDelta(t, mean, publishedTimes[name].mean(), 0.05, name)
	}
}

// The largest difference comes first: how faithful the store is.
func TestObstacles_Faithful(t *testing.T) {
	c := madeUpCampaign()
	groups := groupsOf(c)
	for i := range results {
		for _, g := range alike(filter(groups, group.plain), results[i]) {
			require.Equal(t, "not recorded how faithful the store is", obstacles(c, g, results[i])[0])
			g.Run.Faithful = ofPostgres
			first := obstacles(c, g, results[i])[0]
			if strings.HasPrefix(results[i].Workload, "insert-") {
				require.NotContains(t, first, "load (", "inserts are XML in the database")
			} else {
				require.Contains(t, first, "XML in the database for only")
			}
			g.Run.Faithful = nil
		}
	}
}

// The figures of the papers are shown also for a workload that was not run. Without any run there is no section.
func TestPublished_NotMeasured(t *testing.T) {
	c := madeUpCampaign()
	groups := filter(groupsOf(c), func(g group) bool { return g.Label == "query" })
	table := publishedSection(c, groups).Blocks[0].Table
	require.Len(t, table.Rows, len(results))
	for i, p := range results {
		require.Equal(t, p.Workload != "query", table.Rows[i].Cells[6].Text == "not measured here", p.Workload)
	}
	require.Empty(t, publishedSection(c, nil).Blocks)
}

// What compression saves is against the documents.
func TestPublished_Space(t *testing.T) {
	rows := publishedSpaceTable(madeUpCampaign()).Rows
	var last []string
	for _, cell := range rows[len(rows)-1].Cells {
		last = append(last, cell.Text)
	}
	require.Equal(t, []string{"all, of 1.21 GB of documents", "–", "520 MB", "–", "−57.0 %", "28.0 MB"}, last[1:])
}

// A scaled study says so at the top of the page.
func TestPage_Scaled(t *testing.T) {
	c := madeUpCampaign()
	c.Settings.Preset, c.Settings.DataScale, c.Settings.TimeScale = "paper-2007", 0.02, 0.05
	require.Contains(t, html(t, FromCampaign(c)), "paper-2007 with 0.02 times its documents and 0.05 times its times")
	c.Settings.DataScale, c.Settings.TimeScale = 1, 1
	require.NotContains(t, html(t, FromCampaign(c)), "times its documents")
}
