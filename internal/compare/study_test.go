//go:build unix

package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/store"
	_ "brokerage/internal/store/null"
	_ "brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	_ "brokerage/internal/store/sqlite"
	"brokerage/internal/workload"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// studied returns the URL of a store, which holds the dataset tiny unless it is null.
func studied(t testing.TB, name string) string {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "studied.db")
	switch name {
	case "null":
		return "null:"
	case "postgres":
		server := pgtest.StartOutOfTheBox(t)
		url = server.URL(server.Database(t))
	}
	d, err := store.Find(url)
	require.NoError(t, err)
	s, err := d.OpenBulk(t.Context(), store.Options{})
	require.NoError(t, err)
	require.NoError(t, s.LoadDataset(t.Context(), dataset.New(dataset.Spec{Seed: 1}), nil))
	require.NoError(t, s.Close())
	return url
}

// opened returns a comparison of a workload whose sides are up.
func opened(t testing.TB, name string, config Config, urls ...string) *comparison {
	t.Helper()
	definition, err := workload.Load(name)
	require.NoError(t, err)
	config.Definition, config.Users = definition, 16
	c := newComparison(&config)
	for i, url := range urls {
		c.sides[i], err = newSide(url)
		require.NoError(t, err)
		require.NoError(t, c.sides[i].open(t.Context(), c.Config, c.sides[0]))
		t.Cleanup(func() { require.NoError(t, c.sides[i].close()) })
	}
	c.figures = figuresOf(false, c.sides[0].crew.Mix())
	return c
}

// tick is the resolution of a recording.
const tick = 25 * time.Millisecond

// ticks returns the number of transactions in each tick.
func ticks(records []result.Record, length time.Duration) []float64 {
	counts := make([]float64, length/tick)
	for _, r := range records {
		if i := int(r.At / tick); i < len(counts) {
			counts[i]++
		}
	}
	return counts
}

// BenchmarkStudy prints the tables of decision record 0039: `make compare-study`.
func BenchmarkStudy(b *testing.B) {
	length := setting(b, "BROKERAGE_COMPARE_STUDY", "", time.ParseDuration)
	for _, name := range []string{"null", "sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			url := studied(b, name)
			c := opened(b, "mixed", Config{Within: 4 * length, Seed: 1}, url, url)
			s, err := c.sides[0].crew.Slice(b.Context(), 1, 0, length)
			require.NoError(b, err)
			records := s.Records
			fmt.Printf("\n%s: one side for %s, dealt to A and B in slices; se is the standard error after a minute\n"+
				"| slice | se | correlation of blocks | misses of t over 25 blocks |\n|---|---|---|---|\n", name, length)
			for _, ms := range []int{250, 500, 1000, 2000, 4000} {
				printSlices(ticks(records, length), time.Duration(ms)*time.Millisecond)
			}
			printBeginning(b, c, length)
		})
	}
}

// printSlices prints how blocks of slices of a length scatter when one recording is dealt to two sides.
func printSlices(counts []float64, length time.Duration) {
	const deals = 400
	random, each := rand.New(rand.NewPCG(1, 33)), int(length/tick)
	var errs, alikes []float64
	misses, windows := 0, 0
	for range deals {
		var c comparison
		for at := 0; at+4*each <= len(counts); at += 4 * each {
			first := random.IntN(2)
			block := []slice{{side: first}, {side: 1 - first}, {side: 1 - first}, {side: first}}
			for i := range block {
				sum := 1e-9
				for _, n := range counts[at+i*each:][:each] {
					sum += n
				}
				block[i].values = []float64{sum}
			}
			c.blocks = append(c.blocks, block)
		}
		logs := c.logs(throughput)
		_, deviation := meanOf(logs)
		errs = append(errs, deviation*math.Sqrt(4*length.Minutes()))
		alikes = append(alikes, alike(logs))
		for window := range slices.Chunk(logs, 25) {
			if len(window) == 25 {
				windows++
				if i := intervalOf(window, 1.96); i.Low > 0 || i.High < 0 {
					misses++
				}
			}
		}
	}
	se, _ := meanOf(errs)
	r, _ := meanOf(alikes)
	fmt.Printf("| %s | %.2f %% | %+.2f | %.1f %% of %d |\n", length, 100*se, r,
		100*float64(misses)/float64(max(windows, 1)), windows)
}

// printBeginning prints the throughput at the beginning of slices, as a percentage of that in their second half.
func printBeginning(b *testing.B, c *comparison, length time.Duration) {
	b.Helper()
	const slice = 2 * time.Second
	sums := make([]float64, slice/tick)
	n := int(length / slice)
	for i := range n {
		s, err := c.sides[i%2].crew.Slice(b.Context(), uint64(i), 0, slice)
		require.NoError(b, err)
		for at, count := range ticks(s.Records, slice) {
			sums[at] += count
		}
	}
	rest := 0.0
	for _, sum := range sums[len(sums)/2:] {
		rest += sum / float64(len(sums)/2)
	}
	fmt.Printf("beginning of %d slices, %% of their second half:", n)
	for _, at := range []int{0, 1, 2, 3, 4, 6, 8, 12, 16, 24} {
		fmt.Printf("  %s %.0f", time.Duration(at)*tick, 100*sums[at]/rest)
	}
	fmt.Println()
}

// BenchmarkCheck compares equal sides, and sides of which one counts 3 % less in each slice: `make compare-check`.
func BenchmarkCheck(b *testing.B) {
	comparisons := setting(b, "BROKERAGE_COMPARE_CHECK", "", strconv.Atoi)
	config := Config{Within: setting(b, "WITHIN", "10m", time.ParseDuration), Detect: 0.03, Tolerance: 0.02,
		Others: setting(b, "OTHERS", "0.05", number)}
	for _, kind := range []struct {
		name, workload string
		foreign        bool
		slower         float64
	}{
		{"equal, with foreign load", "query", true, 0},
		{"equal, writing", "insert-orders", false, 0},
		{"slower by 3 %", "query", false, 0.03},
	} {
		n := comparisons
		if kind.slower == 0 {
			n = (comparisons + 1) / 2
		}
		found := make(map[Verdict]int)
		for i := range n {
			b.Run(fmt.Sprintf("%s %d", kind.name, i+1), func(b *testing.B) {
				config.Seed = uint64(i)
				c := opened(b, kind.workload, config, studied(b, "sqlite"), studied(b, "sqlite"))
				c.take = func(ctx context.Context, at int, length time.Duration) (slice, error) {
					s, err := c.takeSlice(ctx, at, length)
					if err == nil && at == 1 {
						s.values[throughput] *= 1 - kind.slower // exactly, whatever the processor has left
					}
					return s, err
				}
				if kind.foreign {
					disturb(b, uint64(i))
				}
				r, err := c.measure(b.Context())
				require.NoError(b, err)
				found[r.Verdict]++
				fmt.Printf("%s: %s; %d blocks, %d slices repeated\n", kind.name, r.Answer, len(r.Blocks), r.Disturbed())
			})
		}
		fmt.Printf("%s: %v of %d\n\n", kind.name, found, n)
	}
}

// BenchmarkCapacity searches for the highest rate of the embedded store and of PostgreSQL in turn, half of the times
// with foreign load, and compares it with the closed model in slices between those of the search: `make
// capacity-check`. The goal limits the median: a short stall breaks a goal of p99, but is only a part of the
// closed model's mean.
func BenchmarkCapacity(b *testing.B) {
	searches := setting(b, "BROKERAGE_CAPACITY_CHECK", "", strconv.Atoi)
	goal, err := drive.ParseGoal("p50=50ms")
	require.NoError(b, err)
	near := 0
	for i := range searches {
		engine, foreign := []string{"sqlite", "postgres"}[i%2], i/2%2 == 1
		b.Run(fmt.Sprintf("%s %d", engine, i+1), func(b *testing.B) {
			url := studied(b, engine)
			c := opened(b, "query", Config{Within: time.Hour, Seed: 1}, url, url)
			if foreign {
				disturb(b, uint64(i))
			}
			target, err := drive.NewDirect(c.sides[0].store, url)
			require.NoError(b, err)
			database, err := store.Find(url)
			require.NoError(b, err)
			observer, err := database.Watch(b.Context()) // without it, what others used is not known
			require.NoError(b, err)
			if observer != nil {
				defer func() { require.NoError(b, observer.Close()) }()
			}
			plan := drive.Plan{Definition: c.Definition, Users: c.Users, Seed: uint64(i), Observer: observer}
			slices, references := 0, 0
			run, err := drive.Find(b.Context(), plan, target,
				drive.RateSearch{Goal: goal, Within: setting(b, "WITHIN", "5m", time.ParseDuration),
					Others: setting(b, "OTHERS", "0.05", number), Progress: func(*result.Curve) {
						if slices++; references > slices/3 {
							return
						}
						s, err := c.takeSlice(b.Context(), 1, time.Second)
						require.NoError(b, err)
						if s.disturbed == "" {
							references++
							c.blocks = append(c.blocks, []slice{s})
						}
					}})
			require.NoError(b, err)
			reference := c.meanOfSide(throughput, 1)
			ratio := run.Curve.Found / reference
			if math.Abs(ratio-1) <= 0.1 {
				near++
			}
			fmt.Printf("%s, foreign load %t: %s; closed model %.0f, ratio %.2f; %s\n", engine, foreign, run.Curve.Answer(),
				reference, ratio, run.Curve.Limit)
			fmt.Printf("%d slices, %d disturbed; met of tries by rate:", run.Curve.Slices, run.Curve.Disturbed)
			for _, step := range run.Curve.Steps {
				fmt.Printf("  %g: %d of %d", step.Rate, step.Met, step.Met+step.Misses)
			}
			fmt.Println()
		})
	}
	fmt.Printf("within 10 %% of the closed model: %d of %d\n", near, searches)
}

// setting returns a variable or its default. Without either, the benchmark is skipped: it takes hours.
func setting[T any](b *testing.B, name, otherwise string, parse func(string) (T, error)) T {
	b.Helper()
	text := cmp.Or(os.Getenv(name), otherwise)
	if text == "" {
		b.Skip("needs " + name + ", which make sets")
	}
	value, err := parse(text)
	require.NoError(b, err, name)
	return value
}

func number(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// disturb lets another program use a processor for some seconds, again and again, until the benchmark ends.
func disturb(b *testing.B, seed uint64) {
	b.Helper()
	var running sync.WaitGroup
	running.Go(func() {
		random := rand.New(rand.NewPCG(seed, 5))
		seconds := func(least, n int) time.Duration { return time.Duration(least+random.IntN(n)) * time.Second }
		for {
			select {
			case <-b.Context().Done():
				return
			case <-time.After(seconds(5, 15)):
			}
			ctx, cancel := context.WithTimeout(b.Context(), seconds(2, 8))
			err := exec.CommandContext(ctx, "/bin/sh", "-c", "while :; do :; done").Run()
			if ctx.Err() == nil { // it was not killed
				b.Errorf("the other program: %v", err)
			}
			cancel()
		}
	})
	b.Cleanup(running.Wait)
}
