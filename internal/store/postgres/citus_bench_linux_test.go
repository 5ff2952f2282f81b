package postgres_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

const (
	nodeQuota   = 0.2 // processors of each server, when it is limited
	warmUps     = 3   // rounds before: each connection makes its plans for each shard
	benchRounds = 3   // measurements of each target, alternating
	benchUsers  = 8   // while nothing is limited; for each data node while nodes are limited
)

// A target is a database on some of the servers.
type target struct {
	*testing.B

	name   string
	groups []*pgtest.Group // of its servers, the coordinator first
	url    string
	store  *postgres.Store
	each   time.Duration // of a run
	mixed  *workload.Definition
}

// A sample is what one run has measured.
type sample struct {
	tps    float64
	spare  float64   // share of the machine that was idle
	micros []float64 // processor time a transaction in microseconds, of each server
}

// total returns the processor time per transaction, summed over all servers.
func (s sample) total() (micros float64) {
	for _, m := range s.micros {
		micros += m
	}
	return micros
}

func (s sample) coordinator() float64 { return s.micros[0] / s.total() }

// BenchmarkCitus prints what a transaction costs on a cluster and on one server, and how throughput grows with nodes:
// `make bench-citus`.
func BenchmarkCitus(b *testing.B) {
	each, err := time.ParseDuration(os.Getenv("BROKERAGE_BENCH_CITUS"))
	if err != nil {
		b.Skip("only when BROKERAGE_BENCH_CITUS says how long each run takes: 6s")
	}
	mixed, err := workload.Load("mixed")
	require.NoError(b, err)
	settings := []string{"shared_buffers=512MB", "max_wal_size=4GB", "autovacuum=off", "max_connections=300"}
	cluster := pgtest.StartCluster(b, 4, settings...)
	plain := cluster.Plain(b, settings...)
	var groups []*pgtest.Group
	for _, server := range cluster.Nodes {
		groups = append(groups, server.Group(b))
	}
	url := plain.URL(plain.Database(b))
	targets := []*target{{B: b, name: "one server", groups: []*pgtest.Group{plain.Group(b)}, url: url}}
	targets[0].load(url)
	for _, workers := range []int{1, 2, 4} { // which are its entries
		some := *cluster
		some.Nodes = some.Nodes[:workers+1]
		database := some.Database(b)
		t := &target{B: b, name: fmt.Sprint(workers, " data nodes"), groups: groups[:workers+1]}
		t.load(cluster.URL(database, 0) + "&distribute=32")
		t.url = cluster.URL(database, []int{1, 2, 3, 4}[:workers]...)
		targets = append(targets, t)
	}
	for _, t := range targets {
		t.each, t.mixed = each, mixed
		t.store, err = postgres.Open(b.Context(), t.url, postgres.Options{Pool: benchUsers * max(1, len(t.groups)-1)})
		require.NoError(b, err)
		b.Cleanup(func() { _ = t.store.Close() })
	}
	fmt.Printf("\nPostgreSQL %d, XXXS, %d alternating rounds of %s, medians; processor time in microseconds\n",
		plain.Major(b), benchRounds, each)

	costs := rounds(targets, func(*target) int { return benchUsers }, 0)
	fmt.Print("\n| mixed, no limits | µs a transaction, by server | together | against one server | coordinator |\n" +
		"|---|---|---|---|---|\n")
	for i, t := range targets {
		var servers []string
		for n := range t.groups {
			micros := median(costs[i], func(s sample) float64 { return s.micros[n] })
			servers = append(servers, fmt.Sprintf("%.0f", micros))
		}
		cost := median(costs[i], sample.total)
		fmt.Printf("| %s | %s | %.0f | %.2f | %.1f %% |\n", t.name, strings.Join(servers, " + "), cost,
			cost/median(costs[0], sample.total), 100*median(costs[i], sample.coordinator))
	}
	clusters := targets[1:]
	limited := rounds(clusters, func(t *target) int { return benchUsers * (len(t.groups) - 1) }, nodeQuota)
	fmt.Printf("\n| mixed, %g processors a server, %d users a data node | transactions/s | against 1 node | spare |\n"+
		"|---|---|---|---|\n", nodeQuota, benchUsers)
	tps := func(s sample) float64 { return s.tps }
	for i, t := range clusters {
		rate := median(limited[i], tps)
		fmt.Printf("| %s | %.0f | %.2f | %.0f %% |\n", t.name, rate, rate/median(limited[0], tps),
			100*median(limited[i], func(s sample) float64 { return s.spare }))
	}
	fmt.Println("\nLess than 15 % spare: not only the limits have limited the nodes.")
}

// rounds measures the targets one after another, again and again, after a warm-up without a limit.
func rounds(targets []*target, users func(*target) int, limit float64) [][]sample {
	all := make([][]sample, len(targets))
	for round := -warmUps; round < benchRounds; round++ {
		for i, t := range targets {
			if round < 0 {
				t.run(users(t), 0)
			} else {
				all[i] = append(all[i], t.run(users(t), limit))
			}
		}
	}
	return all
}

func median(samples []sample, of func(sample) float64) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// load fills a database through a URL.
func (t *target) load(through string) {
	t.Helper()
	size, err := dataset.ParseScale("XXXS")
	require.NoError(t, err)
	s, err := postgres.Open(t.Context(), through, postgres.Options{})
	require.NoError(t, err)
	require.NoError(t, s.LoadDataset(t.Context(), dataset.New(dataset.Spec{Scale: size, Seed: 1}), nil))
	require.NoError(t, s.Close())
}

// run runs the mix. In the measured time each server has a number of processors, 0 for no limit.
func (t *target) run(users int, limit float64) (s sample) {
	t.Helper()
	direct, err := drive.NewDirect(t.store, t.url)
	require.NoError(t, err)
	var used [2][]time.Duration
	var all, idle [2]float64
	edge := func(i int, limit float64) {
		all[i], idle[i] = machine(t)
		for _, g := range t.groups {
			g.Limit(t, limit)
			used[i] = append(used[i], g.Used(t))
		}
	}
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		time.Sleep(t.each / 4) // the ramp
		edge(0, limit)
		time.Sleep(t.each)
		edge(1, 0)
	}()
	run, err := drive.Run(t.Context(), drive.Plan{
		Definition: t.mixed, Users: users, Ramp: t.each / 4, Duration: t.each, Seed: 1,
	}, direct)
	<-measured
	require.NoError(t, err)
	require.Empty(t, run.Total.Unexpected)
	s = sample{tps: run.TPS, spare: (idle[1] - idle[0]) / (all[1] - all[0])}
	for i, after := range used[1] {
		s.micros = append(s.micros, float64((after-used[0][i]).Microseconds())/float64(run.Total.Count))
	}
	return s
}

// machine returns the processor time that the machine has had, and what of it was idle, in ticks.
func machine(t testing.TB) (all, idle float64) {
	t.Helper()
	line, _, _ := strings.Cut(testenv.Text(t, "/proc/stat"), "\n")
	var user, nice, system, wait float64
	_, err := fmt.Sscanf(line, "cpu %f %f %f %f %f", &user, &nice, &system, &idle, &wait)
	require.NoError(t, err)
	return user + nice + system + idle + wait, idle + wait
}
