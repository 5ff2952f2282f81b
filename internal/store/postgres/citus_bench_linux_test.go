package postgres_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

// The aims of a cluster.
const (
	aimFour, aimTwo = 1.75, 1.2 // throughput with 4 data nodes against 2, with 2 against 1
	aimSame         = 0.10      // change of the processor time of a transaction with nodes, shards and data
	aimCoordinator  = 0.02      // share of the processor time
	aimPlain        = 2.9       // processor time of a transaction against that of one server
	aimSpare        = 0.15      // of the machine; with less, not only the quotas limit
)

const (
	warmUps     = 3 // rounds before: each connection makes its plans for each shard
	costRounds  = 3 // measurements of each target, alternating
	costUsers   = 8 // while nothing is limited
	usersOfNode = 8 // for each data node, while nodes are limited
)

// A citusBench compares clusters and plain servers, whose processes are in control groups.
type citusBench struct {
	*testing.B

	each       time.Duration
	quota      float64 // processors of each server when it is limited
	mixed      *workload.Definition
	cluster    *pgtest.Cluster
	parameters string // of the URL of a cluster
	plain      *pgtest.Server
	groups     []*pgtest.Group // of the nodes of the cluster, then that of the plain server
}

// A target is a database on some of the servers.
type target struct {
	*citusBench

	name     string
	groups   []*pgtest.Group // of its servers, the coordinator first
	database string
	store    *postgres.Store
	url      string
	samples  []sample
}

// A sample is what one run has measured.
type sample struct {
	tps    float64
	spare  float64   // share of the machine
	micros []float64 // processor time a transaction in microseconds, of each server
}

// total returns the processor time per transaction, summed over all servers.
func (s sample) total() (micros float64) {
	for _, m := range s.micros {
		micros += m
	}
	return micros
}

// BenchmarkCitus prints what a transaction costs on a cluster and on one server, and how throughput grows with nodes:
// `make bench-citus`.
func BenchmarkCitus(b *testing.B) {
	each, err := time.ParseDuration(os.Getenv("BROKERAGE_BENCH_CITUS"))
	if err != nil {
		b.Skip("only when BROKERAGE_BENCH_CITUS says how long each run takes: 6s")
	}
	c := newCitusBench(b, each)
	scale := cmp.Or(os.Getenv("SCALE"), "XXXS")
	single := c.onServer("one server", scale)
	clusters := []*target{c.onCluster(scale, 1, 32), c.onCluster(scale, 2, 32), c.onCluster(scale, 4, 32)}
	all := append([]*target{single}, clusters...)
	for round := -warmUps; round < costRounds; round++ {
		for _, t := range all {
			if s := t.run(costUsers, c.mixed, 0); round >= 0 {
				t.samples = append(t.samples, s)
			}
		}
	}
	printCosts(all)
	aims := costAims(single, clusters)
	printAims(append(aims, c.scaling(clusters)...))
}

func newCitusBench(b *testing.B, each time.Duration) *citusBench {
	b.Helper()
	quota, err := strconv.ParseFloat(cmp.Or(os.Getenv("QUOTA"), "0.2"), 64)
	require.NoError(b, err, "QUOTA")
	mixed, err := workload.Load("mixed")
	require.NoError(b, err)
	settings := []string{"shared_buffers=512MB", "max_wal_size=4GB", "autovacuum=off", "max_connections=300"}
	c := &citusBench{B: b, each: each, quota: quota, mixed: mixed, cluster: pgtest.StartCluster(b, 4, settings...)}
	c.plain, c.parameters = c.cluster.Plain(b, settings...), ""
	if plans := os.Getenv("PLANS"); plans != "" {
		c.parameters += "&plan_cache_mode=" + plans
	}
	for _, server := range append(slices.Clone(c.cluster.Nodes), c.plain) {
		c.groups = append(c.groups, server.Group(b))
	}
	fmt.Printf("\nPostgreSQL %d, %d users, %d alternating rounds of %s, medians; processor time in microseconds\n",
		c.plain.Major(b), costUsers, costRounds, each)
	return c
}

// onServer loads a database on the plain server.
func (c *citusBench) onServer(name, scale string) *target {
	c.Helper()
	url := c.plain.URL(c.plain.Database(c))
	t := &target{citusBench: c, name: name + ", " + scale, url: url, groups: c.groups[len(c.groups)-1:]}
	t.load(url, scale)
	return t.open()
}

// onCluster loads a database on the coordinator and some workers, which are its entries then.
func (c *citusBench) onCluster(scale string, workers, shards int) *target {
	c.Helper()
	some := *c.cluster
	some.Nodes = some.Nodes[:workers+1]
	t := &target{
		citusBench: c, name: fmt.Sprintf("%d data nodes, %d shards, %s", workers, shards, scale),
		groups: c.groups[:workers+1], database: some.Database(c),
	}
	var entries []int
	for n := range workers {
		entries = append(entries, n+1)
	}
	t.url = c.cluster.URL(t.database, entries...) + c.parameters
	t.load(c.cluster.URL(t.database, 0)+c.parameters+fmt.Sprintf("&distribute=%d", shards), scale)
	return t.open()
}

// load fills the database through a URL.
func (t *target) load(through, scale string) {
	t.Helper()
	began := time.Now()
	size, err := dataset.ParseScale(scale)
	require.NoError(t, err)
	s, err := postgres.Open(t.Context(), through, postgres.Options{})
	require.NoError(t, err)
	require.NoError(t, s.LoadDataset(t.Context(), dataset.New(dataset.Spec{Scale: size, Seed: 1}), nil))
	require.NoError(t, s.Close())
	fmt.Fprintf(os.Stderr, "loaded %s: %.0f s\n", t.name, time.Since(began).Seconds())
}

func (t *target) open() *target {
	t.Helper()
	var err error
	t.store, err = postgres.Open(t.Context(), t.url,
		postgres.Options{Pool: max(costUsers, usersOfNode*(len(t.groups)-1))})
	require.NoError(t, err)
	t.Cleanup(func() { _ = t.store.Close() })
	return t
}

// run runs a workload. In the measured time each server has a number of processors, 0 for no limit.
func (t *target) run(users int, w *workload.Definition, limit float64) sample {
	t.Helper()
	direct, err := workload.NewDirect(t.store, t.url)
	require.NoError(t, err)
	var used [][]time.Duration
	var all, spare [2]float64
	edge := func(i int) {
		all[i], spare[i] = machine(t)
		used = append(used, t.used())
	}
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		time.Sleep(t.each / 4) // the ramp
		t.limit(limit)
		edge(0)
		time.Sleep(t.each)
		edge(1)
		t.limit(0)
	}()
	run, err := workload.Drive(t.Context(), direct, workload.Config{
		Definition: w, Users: users, Ramp: t.each / 4, Duration: t.each, Seed: uint64(len(t.samples) + 1),
	})
	<-measured
	require.NoError(t, err)
	require.Empty(t, run.Total.Unexpected)
	s := sample{tps: run.TPS, spare: (spare[1] - spare[0]) / (all[1] - all[0])}
	for i, after := range used[1] {
		s.micros = append(s.micros, float64((after-used[0][i]).Microseconds())/float64(run.Total.Count))
	}
	return s
}

// machine returns the processor time that the machine has had, and what was spare: idle, or used by programs of a lower
// priority, unless this one has that, too.
func machine(t testing.TB) (all, spare float64) {
	t.Helper()
	line, _, _ := strings.Cut(testenv.Text(t, "/proc/stat"), "\n")
	priority, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0) // 20 is normal, less is lower
	require.NoError(t, err)
	for i, field := range strings.Fields(line)[1:9] { // user, nice, system, idle, iowait and others
		ticks, err := strconv.ParseFloat(field, 64)
		require.NoError(t, err)
		all += ticks
		if i == 3 || i == 4 || i == 1 && priority >= 20 {
			spare += ticks
		}
	}
	return all, spare
}

func (t *target) limit(processors float64) {
	for _, g := range t.groups {
		g.Limit(t, processors)
	}
}

func (t *target) used() (all []time.Duration) {
	for _, g := range t.groups {
		all = append(all, g.Used(t))
	}
	return all
}

// cost returns the processor time per transaction.
func (t *target) cost() float64 { return t.median(sample.total) }

func (t *target) median(of func(sample) float64) float64 {
	values := make([]float64, len(t.samples))
	for i, s := range t.samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// coordinator returns the coordinator's share of the processor time.
func (t *target) coordinator() float64 {
	return t.median(func(s sample) float64 { return s.micros[0] / s.total() })
}

// printCosts prints what a transaction of the mix costs.
func printCosts(all []*target) {
	fmt.Print("\n| mixed, no limits | µs a transaction, by server | together | against one server | transactions/s |\n" +
		"|---|---|---|---|---|\n")
	for _, t := range all {
		var servers []string
		for i := range t.groups {
			servers = append(servers, fmt.Sprintf("%.0f", t.median(func(s sample) float64 { return s.micros[i] })))
		}
		fmt.Printf("| %s | %s | %.0f | %.2f | %.0f |\n", t.name, strings.Join(servers, " + "), t.cost(),
			t.cost()/all[0].cost(), t.median(func(s sample) float64 { return s.tps }))
	}
}

// An aim is a figure, and the least or most that it should be.
type aim struct {
	what            string
	measured, limit float64
	atMost          bool
}

func costAims(single *target, clusters []*target) []aim {
	change := func(what string, from, to *target, limit float64) aim {
		return aim{"processor time a transaction, " + what + ", change", to.cost()/from.cost() - 1, limit, true}
	}
	two, four := clusters[1], clusters[2]
	return []aim{
		change("from 2 to 4 data nodes", two, four, aimSame),
		{"coordinator's share with 2 data nodes", two.coordinator(), aimCoordinator, true},
		{"coordinator's share with 4 data nodes", four.coordinator(), aimCoordinator, true},
		{"processor time a transaction with 2 data nodes against one server", two.cost() / single.cost(), aimPlain, true},
	}
}

// scaling runs the mix with a limit for each server, and prints how throughput grows with data nodes.
func (c *citusBench) scaling(clusters []*target) []aim {
	for _, t := range clusters {
		t.samples = nil
	}
	for round := -warmUps; round < costRounds; round++ {
		for _, t := range clusters {
			limit := c.quota
			if round < 0 {
				limit = 0
			}
			if s := t.run(usersOfNode*(len(t.groups)-1), c.mixed, limit); round >= 0 {
				t.samples = append(t.samples, s)
			}
		}
	}
	fmt.Printf("\n| mixed, each server limited to %g processors, %d users a data node | transactions/s by round |"+
		" median | against 1 node | µs a transaction | spare |\n|---|---|---|---|---|---|\n", c.quota, usersOfNode)
	tps := func(t *target) float64 { return t.median(func(s sample) float64 { return s.tps }) }
	least := 1.0
	for _, t := range clusters {
		var rounds []string
		spare := 1.0
		for _, s := range t.samples {
			rounds = append(rounds, fmt.Sprintf("%.0f", s.tps))
			spare = min(spare, s.spare)
		}
		fmt.Printf("| %s | %s | %.0f | %.2f | %.0f | %.0f %% |\n", t.name, strings.Join(rounds, ", "), tps(t),
			tps(t)/tps(clusters[0]), t.cost(), 100*spare)
		least = min(least, spare)
	}
	if least < aimSpare {
		fmt.Printf("\nINVALID: less than %.0f %% of the machine was spare, so not only the limits have limited the nodes.\n",
			100*aimSpare)
	}
	return []aim{
		{"throughput, 2 data nodes against 1", tps(clusters[1]) / tps(clusters[0]), aimTwo, false},
		{"throughput, 4 data nodes against 2", tps(clusters[2]) / tps(clusters[1]), aimFour, false},
		{"spare part of the machine", least, aimSpare, false},
	}
}

func printAims(aims []aim) {
	fmt.Print("\n| figure | aim | measured | |\n|---|---|---|---|\n")
	for _, a := range aims {
		sign, verdict := "≥", "met"
		if a.atMost {
			sign = "≤"
		}
		if a.atMost && a.measured > a.limit || !a.atMost && a.measured < a.limit {
			verdict = "**missed**"
		}
		fmt.Printf("| %s | %s %.2f | %.3f | %s |\n", a.what, sign, a.limit, a.measured, verdict)
	}
}
