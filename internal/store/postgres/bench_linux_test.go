package postgres_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/result"
	"brokerage/internal/store/postgres"
	"brokerage/internal/store/postgres/pgtest"
	"brokerage/internal/testenv"
	"brokerage/internal/workload"
)

const (
	nodeQuota    = 0.2 // processors of each server, when it is limited
	warmUps      = 3   // rounds before measuring: connections are made, and statements prepared
	benchRounds  = 5   // measurements of each target, alternating
	benchUsers   = 8   // while nothing is limited
	limitedUsers = 32  // of each data node while nodes are limited: most of them wait for the limits
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
	total  float64   // of all servers
}

// BenchmarkCitus prints what a transaction costs on a cluster and on one server, and how throughput grows with nodes:
// `make bench-citus`.
func BenchmarkCitus(b *testing.B) {
	each, err := time.ParseDuration(os.Getenv("BROKERAGE_BENCH_CITUS"))
	if err != nil {
		b.Skip("runs only with BROKERAGE_BENCH_CITUS set to the duration of each run, such as 6s")
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
	load(b, url)
	for _, workers := range []int{1, 2, 4} { // they are the entries of the URL
		some := *cluster
		some.Nodes = some.Nodes[:workers+1]
		database := some.Database(b)
		t := &target{B: b, name: fmt.Sprint(workers, " data nodes"), groups: groups[:workers+1]}
		load(b, cluster.URL(database, 0)+"&distribute=32")
		t.url = cluster.URL(database, []int{1, 2, 3, 4}[:workers]...)
		targets = append(targets, t)
	}
	for _, t := range targets {
		t.each, t.mixed = each, mixed
		t.store, err = postgres.Open(b.Context(), t.url, postgres.Options{Pool: limitedUsers * max(1, len(t.groups)-1)})
		require.NoError(b, err)
		b.Cleanup(func() { _ = t.store.Close() })
	}
	fmt.Printf("\nPostgreSQL %d, %d alternating rounds of %s, medians; processor time in microseconds\n",
		plain.Major(b), benchRounds, each)

	total := func(s sample) float64 { return s.total }
	tps := func(s sample) float64 { return s.tps }
	costs := rounds(targets, func(*target) int { return benchUsers }, 0)
	fmt.Print("\n| mixed, no limits | µs a transaction, by server | together | against one server | coordinator |\n" +
		"|---|---|---|---|---|\n")
	for i, t := range targets {
		var servers []string
		for n := range t.groups {
			micros := median(costs[i], func(s sample) float64 { return s.micros[n] })
			servers = append(servers, fmt.Sprintf("%.0f", micros))
		}
		fmt.Printf("| %s | %s | %.0f | %.2f | %.1f %% |\n", t.name, strings.Join(servers, " + "), median(costs[i], total),
			against(costs[i], costs[0], total),
			100*median(costs[i], func(s sample) float64 { return s.micros[0] / s.total }))
	}
	clusters := targets[1:]
	limited := rounds(clusters, func(t *target) int { return limitedUsers * (len(t.groups) - 1) }, nodeQuota)
	fmt.Printf("\n| mixed, %g processors a server, %d users a data node | transactions/s | against 1 node | "+
		"µs a transaction | of the limits | spare |\n|---|---|---|---|---|---|\n", nodeQuota, limitedUsers)
	for i, t := range clusters {
		used := median(limited[i], func(s sample) float64 { return s.tps * (s.total - s.micros[0]) / 1e6 })
		fmt.Printf("| %s | %.0f | %.2f | %.0f | %.0f %% | %.0f %% |\n", t.name, median(limited[i], tps),
			against(limited[i], limited[0], tps), median(limited[i], total), 100*used/nodeQuota/float64(len(t.groups)-1),
			100*median(limited[i], func(s sample) float64 { return s.spare }))
	}
	fmt.Println("\nLess than 15 % spare, or little of the limits: not only these have limited the nodes.")
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
	return against(samples, nil, of)
}

// against returns the median of the ratios of samples to others, round by round, because the speed of a machine
// changes from one round to the next. Without others it is the median of the values.
func against(samples, others []sample, of func(sample) float64) float64 {
	var values []float64
	for round, s := range samples {
		value := of(s)
		if others != nil {
			value /= of(others[round])
		}
		values = append(values, value)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// load fills a database through a URL and returns the dataset, of the scale in the variable SCALE, by default XXXS.
func load(b *testing.B, through string) *dataset.Dataset {
	b.Helper()
	size, err := dataset.ParseScale(cmp.Or(os.Getenv("SCALE"), "XXXS"))
	require.NoError(b, err)
	d := dataset.New(dataset.Spec{Scale: size, Seed: 1})
	s, err := postgres.Open(b.Context(), through, postgres.Options{})
	require.NoError(b, err)
	require.NoError(b, s.LoadDataset(b.Context(), d, nil))
	require.NoError(b, s.Close())
	return d
}

// run runs the mix. limit is how many processors each server has in the measured time, 0 for no limit.
func (t *target) run(users int, limit float64) (s sample) {
	t.Helper()
	direct, err := drive.NewDirect(t.store, t.url)
	require.NoError(t, err)
	crew, err := drive.Gather(t.Context(), drive.Plan{
		Definition: t.mixed, Users: users, Duration: 2 * t.each, Seed: 1,
	}, direct)
	require.NoError(t, err)
	defer crew.Close()
	_, err = crew.Slice(t.Context(), 1, 0, t.each/4) // the ramp
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
	edge(0, limit)
	time.AfterFunc(t.each, func() { defer close(measured); edge(1, 0) })
	slice, err := crew.Slice(t.Context(), 2, 0, t.each)
	<-measured
	require.NoError(t, err)
	count := 0
	for _, r := range slice.Records {
		require.False(t, r.Outcome.Failed(), "%+v", r)
		if r.At <= t.each {
			count++
		}
	}
	s = sample{tps: float64(count) / t.each.Seconds(), spare: (idle[1] - idle[0]) / (all[1] - all[0])}
	for i, after := range used[1] {
		micros := float64((after - used[0][i]).Microseconds()) / float64(count)
		s.micros, s.total = append(s.micros, micros), s.total+micros
	}
	return s
}

// machine returns the total and the idle processor time of the machine, in ticks.
func machine(t testing.TB) (all, idle float64) {
	t.Helper()
	line, _, _ := strings.Cut(testenv.Text(t, "/proc/stat"), "\n")
	var user, nice, system, wait float64
	_, err := fmt.Sscanf(line, "cpu %f %f %f %f %f", &user, &nice, &system, &idle, &wait)
	require.NoError(t, err)
	return user + nice + system + idle + wait, idle + wait
}

// drawnWords is how many symbols or sectors pgbench uses. pgbench cannot draw words, so each word has its own script.
// Each connection prepares each script at its first use.
const drawnWords = 10

// BenchmarkPgbench prints how often per second pgbench and drive --db run each of the seven queries on one server,
// with the same statements and as many connections: `make bench-postgres`.
func BenchmarkPgbench(b *testing.B) {
	each, err := time.ParseDuration(os.Getenv("BROKERAGE_BENCH_POSTGRES"))
	if err != nil {
		b.Skip("runs only with BROKERAGE_BENCH_POSTGRES set to the duration of each run, such as 10s")
	}
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("ROUNDS"), "3"))
	require.NoError(b, err, "ROUNDS")
	server := pgtest.StartOutOfTheBox(b)
	t := &target{B: b, url: server.URL("postgres"), each: each}
	d := load(b, t.url)
	t.store, err = postgres.Open(b.Context(), t.url, postgres.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, t.store.Close()) }()
	queries, err := workload.Load("query")
	require.NoError(b, err)
	fmt.Printf("\nPostgreSQL %d with its defaults, %d connections, %d rounds of %s, medians\n\n"+
		"| query | pgbench, a second | drive --db | ratio |\n|---|---|---|---|\n",
		server.Major(b), postgres.DefaultPool, rounds, each)
	for _, part := range queries.Mix {
		one := *queries
		one.Mix, t.mixed = []result.Part{part}, &one
		scripts := pgbenchScripts(b, d, part.Transaction)
		ways := []func() float64{
			func() float64 { return pgbench(b, server, t.url, each, scripts) },
			func() float64 { return t.run(postgres.DefaultPool, 0).tps },
		}
		var rates [2][]float64
		for round := range rounds {
			for turn := range ways {
				way := (turn + round) % len(ways) // either way comes first in every second round
				rates[way] = append(rates[way], ways[way]())
			}
		}
		slices.Sort(rates[0])
		slices.Sort(rates[1])
		theirs, ours := rates[0][rounds/2], rates[1][rounds/2]
		fmt.Printf("| %s | %.0f | %.0f | %.0f %% |\n", part.Transaction, theirs, ours, 100*ours/theirs)
	}
}

// pgbenchScripts returns pgbench's flags that run a query with random ids, or drawnWords words, of the dataset.
func pgbenchScripts(b *testing.B, d *dataset.Dataset, query string) (flags []string) {
	statement := pgbenchStatement(testenv.Text(b, "sql/"+query+".sql"))
	add := func(draw, word string) {
		text := draw + statement
		if word != "" {
			variable := fmt.Sprint("word", len(flags))
			text = strings.ReplaceAll(text, ":p1", ":"+variable)
			flags = append(flags, "-D", variable+"="+word)
		}
		file := filepath.Join(b.TempDir(), query+".sql")
		require.NoError(b, os.WriteFile(file, []byte(text), 0o600))
		flags = append(flags, "-f", file)
	}
	ids := func(k dataset.Kind) string {
		return fmt.Sprintf("\\set p1 random(%d, %d)\n", d.ID(k, 0), d.ID(k, d.Count(k)-1))
	}
	switch query {
	case "get_order":
		add(ids(dataset.Order), "")
	case "customer_profile", "account_summary", "customer_max_order":
		add(ids(dataset.Customer), "")
	case "get_security", "get_security_price":
		for i := range drawnWords {
			add("", d.Symbol(i*int(d.Count(dataset.Security))/drawnWords))
		}
	case "search_securities":
		for _, sector := range dataset.Sectors()[:drawnWords] {
			add("\\set p2 random(20, 23) * 10000\n\\set p3 random(25, 27) * 10000\n\\set p4 random(4, 6) * 10000\n", sector)
		}
	}
	require.NotEmpty(b, flags, query)
	return flags
}

// pgbenchStatement returns a statement in pgbench's form, with variables for parameters. pgbench replaces :NAME even
// in strings, so colons in strings are escaped. The server reads the same statement.
func pgbenchStatement(text string) string {
	text = regexp.MustCompile(`(?m)^--.*\n`).ReplaceAllString(text, "")
	token := regexp.MustCompile(`'(?:[^']|'')*'|"[^"]*"|\$\d`)
	text = token.ReplaceAllStringFunc(text, func(t string) string {
		switch {
		case t == "$5": // all hits, as in workloads
			return "''"
		case t == "$6":
			return "NULL"
		case t[0] == '$':
			return ":p" + t[1:]
		case !strings.Contains(t, ":"):
			return t
		case t[0] == '"':
			return "U&" + strings.ReplaceAll(t, ":", `\003a`)
		default:
			return "E" + strings.ReplaceAll(strings.ReplaceAll(t, `\`, `\\`), ":", `\x3a`)
		}
	})
	return strings.TrimSpace(text) + ";\n"
}

var pgbenchRate = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)

// pgbench runs scripts for a time, and returns the transactions per second.
func pgbench(b *testing.B, server *pgtest.Server, url string, each time.Duration, scripts []string) float64 {
	b.Helper()
	args := slices.Concat([]string{
		"-n", "-M", "prepared", "-j", "2", "-c", strconv.Itoa(postgres.DefaultPool), "-T", fmt.Sprint(int(each.Seconds())),
	}, scripts, []string{url})
	out, err := exec.CommandContext(b.Context(), server.Program("pgbench"), args...).CombinedOutput()
	require.NoError(b, err, "%s", out)
	found := pgbenchRate.FindSubmatch(out)
	require.NotNil(b, found, "%s", out)
	rate, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(b, err)
	return rate
}
