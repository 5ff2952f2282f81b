package result

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// quotable returns a run that is valid.
func quotable() *Run {
	r := &Run{
		Ended: Complete, Duration: 60, Measured: 60, Warmed: 20,
		Target: Target{Kind: HTTP}, Machine: Machine{Cores: 8},
		Usage: Usage{Generator: ProcessUsage{CPUSeconds: 6, CPU: .1}},
	}
	for _, weight := range []float64{0.7, 0.3} {
		r.Transactions = append(r.Transactions, Row{Name: "get_order", Weight: weight, Count: int64(weight * 60_000)})
	}
	r.Total = Row{Count: 60_000}
	for range 60 {
		r.PerSecond = append(r.PerSecond, 1000)
	}
	return r
}

func TestJudge(t *testing.T) {
	shift := func(n int64) func(*Run) {
		return func(r *Run) { r.Transactions[0].Count -= n; r.Transactions[1].Count += n }
	}
	notFound := func(n int64) func(*Run) {
		return func(r *Run) { r.Total.Unexpected = map[string]int64{"404 not-found": n} }
	}
	for name, c := range map[string]struct {
		change func(*Run)
		says   string // empty: valid
	}{
		"Valid":           {func(*Run) {}, ""},
		"Interrupted":     {func(r *Run) { r.Ended = Interrupted }, "interrupted"},
		"Died":            {func(r *Run) { r.Ended = TargetDied }, "died"},
		"Nothing":         {func(r *Run) { r.Total.Count = 0 }, "nothing was measured"},
		"Mix":             {shift(1500), "the mix differs from its weights"},
		"MixWithinChance": {shift(100), ""},
		"MixByDraws": {func(r *Run) {
			r.Transactions[1].Count -= 500
			r.Transactions[1].Empty += 500
			r.Total.Count -= 500
			r.Total.Empty = 500
		}, ""},
		"Empty":         {func(r *Run) { r.Transactions[1].Empty += 700; r.Total.Empty = 700 }, "nothing of the user's own"},
		"Unexpected":    {notFound(300), "0.50 % of the answers were unexpected (404 not-found 300)"},
		"FewUnexpected": {notFound(299), ""},
		"Expected":      {func(r *Run) { r.Total.Expected = map[string]int64{"not-held": 5000} }, ""},
		"LostWrites":    {func(r *Run) { r.Proof = &Proof{Acknowledged: 5000, Lost: 3} }, "acknowledged 5,000, lost 3, "},
		"CountedTwice":  {func(r *Run) { r.Proof = &Proof{Twice: 1} }, "applied twice 1"},
		"NotBroken":     {func(r *Run) { r.Break = &Break{Failed: "exit status 1"} }, "the command failed: exit status 1"},
		"StaysAway":     {func(r *Run) { r.Break = &Break{At: 20, Unanswered: true} }, "does not answer again"},
		"Slope": {func(r *Run) {
			for i := range r.PerSecond {
				r.PerSecond[i] -= int64(2 * i)
			}
		}, "not steady"},
		"Noise": {func(r *Run) {
			random := rand.New(rand.NewPCG(1, 1))
			for i := range r.PerSecond {
				r.PerSecond[i] += random.Int64N(800) - 400
			}
		}, ""},
		"Dropped":   {func(r *Run) { r.Total.Due, r.Total.Dropped = 10, 1 }, "1 of 10 arrivals were dropped"},
		"Generator": {func(r *Run) { r.Usage.Generator.CPU = 0.8 }, "load generator used 80 %"},
		"Others":    {func(r *Run) { r.Usage.Others = new(.47) }, "other programs used 47 % of the machine"},
		"FewOthers": {func(r *Run) { r.Usage.Others = new(.05) }, ""},
		"OtherPart": {func(r *Run) { r.Usage.Others, r.Part = new(.47), &LoadPart{Number: 1, Of: 2} }, ""},
		"Shared":    {func(r *Run) { r.Usage.Generator.CPU, r.Usage.Shared = 1, true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := quotable()
			c.change(r)
			v := judge(r)
			require.Equal(t, c.says == "", v.Valid)
			require.Contains(t, strings.Join(v.Reasons, "; "), c.says)
			require.Equal(t, name == "Others", v.Disturbed)
		})
	}
}

// Reasons come from the target, so their length and their number are bounded.
func TestCount(t *testing.T) {
	var counts map[string]int64
	for i := range 1500 {
		Count(&counts, fmt.Sprintf("%04d %s", i, strings.Repeat("é", 300)), 1)
		Count(&counts, "0000 "+strings.Repeat("é", 300), 1)
	}
	require.Len(t, counts, 1001)
	require.Equal(t, int64(1501), counts["0000 "+strings.Repeat("é", 195)])
	require.Equal(t, int64(500), counts["other reasons"])
}

func TestJudge_Smoke(t *testing.T) {
	for name, change := range map[string]func(*Run){
		"Short": func(r *Run) { r.Duration, r.Usage.Others = 59, new(.47) },
		"Cold":  func(r *Run) { r.Warmed = 19 },
		"Proof": func(r *Run) { r.Proof = &Proof{Verified: true, Acknowledged: 5000, Unknown: 8, Applied: 1} },
		"Broken": func(r *Run) { // requests fail and the throughput changes, as it must
			r.Break = &Break{At: 20, Unanswered: true, Again: 1.2}
			r.Total.Unexpected = map[string]int64{NoAnswer: 3000}
			clear(r.PerSecond[30:])
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := quotable()
			change(r)
			v := judge(r)
			require.True(t, v.Smoke)
			require.False(t, v.Valid)
			require.Empty(t, v.Reasons)
		})
	}
}

// The limit is the textbook's value for once in a million, or above it where the approximation is worst.
func TestChiSquareLimit(t *testing.T) {
	require.InDelta(t, 60.4, ChiSquareLimit(16), 1.5)
	require.InDelta(t, 25.7, ChiSquareLimit(1), 1.8)
}
