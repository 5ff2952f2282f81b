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

// Each published figure has the users of the papers, and is compared with ours at the same number, or at the nearest,
// which is then stated. Only figures whose users the papers do not give are compared with our best, here at 300 users.
func TestPublished_Users(t *testing.T) {
	theirs := []struct {
		workload    string
		year, users int
		rate        float64
	}{
		{"classic", 2006, 150, 1980}, {"classic", 2006, 25, 1000}, {"classic", 2007, 200, 3752}, {"mixed", 2008, 200, 6763},
		{"mixed", 2008, 200, 6368}, {"mixed", 2008, 150, 4558 * 1.42}, {"mixed", 2008, 150, 4558}, {"mixed", 2009, 300, 4107},
		{"query", 2006, 150, 5480}, {"query", 2006, 25, 2000}, {"query", 2007, 125, 4793},
		{"insert-orders", 2006, 100, 5320}, {"insert-orders", 2007, 100, 4500}, {"insert-orders", 2008, 600, 11904},
		{"insert-orders", 2009, 0, 13945},
		{"insert-customers", 2006, 100, 1550}, {"insert-customers", 2007, 50, 1400}, {"insert-customers", 2008, 600, 4913},
		{"insert-customers", 2009, 0, 5119},
	}
	require.Len(t, results, len(theirs))
	for _, measured := range [][]int{{300}, {100, 300}, {25, 50, 75, 100, 125, 150, 200, 300, 600}} {
		t.Run(fmt.Sprint(measured), func(t *testing.T) {
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
			require.Len(t, table.Rows, len(theirs))
			for i, p := range results {
				cells := table.Rows[i].Cells
				want := theirs[i].users
				require.Equal(t, theirs[i].workload, p.Workload)
				require.Equal(t, []int{theirs[i].year, want}, []int{p.Year, p.Users}, p.Workload)
				require.InDelta(t, theirs[i].rate, p.Rate, 1, p.Workload)
				why := cells[6].Text
				if want == 0 {
					require.Equal(t, []string{"–", "300"}, []string{cells[2].Text, cells[5].Text}, "our best")
					require.Contains(t, why, "users not published, so ours is our best")
					continue
				}
				ours := alike(groups, p)[0].Users
				for _, users := range measured {
					require.LessOrEqual(t, max(ours-want, want-ours), max(users-want, want-users),
						"%s of %d is compared with ours at %d users", p.Workload, p.Year, ours)
				}
				require.Equal(t, []string{whole(float64(want)), whole(float64(ours))}, []string{cells[2].Text, cells[5].Text})
				require.Equal(t, ours != want, strings.Contains(why, fmt.Sprintf("ours measured at %d users, not %d", ours, want)),
					why)
			}
		})
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
	c := madeUpCampaign()
	last := func() (texts []string) {
		rows := publishedSpaceTable(c).Rows
		for _, cell := range rows[len(rows)-1].Cells {
			texts = append(texts, cell.Text)
		}
		return texts
	}
	require.Equal(t, []string{"ours: sqlite 3.51.0", "all, of 1.21 GB of documents", "–", "520 MB", "–", "−57.0 %",
		"28.0 MB"}, slices.Replace(last(), 0, 1, "ours: sqlite 3.51.0"))
}

// A scaled study says so at the top of the page.
func TestPage_Scaled(t *testing.T) {
	c := madeUpCampaign()
	c.Settings.Preset, c.Settings.DataScale, c.Settings.TimeScale = "paper-2007", 0.02, 0.05
	require.Contains(t, html(t, FromCampaign(c)), "paper-2007 with 0.02 times its documents and 0.05 times its times")
	c.Settings.DataScale, c.Settings.TimeScale = 1, 1
	require.NotContains(t, html(t, FromCampaign(c)), "times its documents")
}
