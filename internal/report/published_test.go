package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/campaign"
)

// Each published figure has the users of the papers, and is compared with ours at the same number, or at the nearest,
// which is then stated. Only figures whose users the papers do not give are compared with our best, here at 300 users.
func TestPublished_Users(t *testing.T) {
	type row struct {
		workload string
		year     int
	}
	theirs := map[row]int{
		{"classic", 2006}: 150, {"classic", 2007}: 200, {"mixed", 2008}: 200, {"mixed", 2009}: 300, {"query", 2006}: 150,
		{"query", 2007}:         125,
		{"insert-orders", 2006}: 100, {"insert-orders", 2007}: 100, {"insert-orders", 2008}: 600, {"insert-orders", 2009}: 0,
		{"insert-customers", 2006}: 100, {"insert-customers", 2007}: 50, {"insert-customers", 2008}: 600,
		{"insert-customers", 2009}: 0,
	}
	require.Len(t, results, len(theirs))
	for _, measured := range [][]int{{300}, {100, 300}, {25, 50, 75, 100, 125, 150, 200, 300, 600}} {
		t.Run(fmt.Sprint(measured), func(t *testing.T) {
			record := &campaign.Record{Machine: campaign.Machine{Machine: madeUpMachine()}, Dataset: madeUpDataset()}
			for _, name := range []string{"classic", "mixed", "query", "insert-orders", "insert-customers"} {
				all := steps(name, 4000, .01, nil, measured...)
				for i := range all {
					for j := range all[i].Runs {
						all[i].Runs[j].Run.Workload.Validate = name != "insert-customers"
						if users := measured[i]; users > 300 {
							all[i].Runs[j].Run.TPS = 100 // beyond its best
						}
					}
				}
				record.Steps = append(record.Steps, all...)
			}
			groups := groupsOf(record)
			table := publishedSection(record, groups).Blocks[0].Table
			require.Len(t, table.Rows, len(theirs))
			for i, p := range results {
				cells := table.Rows[i].Cells
				want, told := theirs[row{p.Workload, p.Year}]
				require.True(t, told)
				require.Equal(t, want, p.Users, "%s of %d", p.Workload, p.Year)
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

// There is a published time for each transaction, and for nothing else.
func TestPublishedMeans_Names(t *testing.T) {
	var names []string
	for _, transaction := range brokerage.Transactions {
		if transaction.Weight > 0 { // others are not TPoX's
			names = append(names, transaction.Name)
		}
	}
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(publishedMeans)))
}
