package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/format"
	"brokerage/internal/result"
)

const (
	// mixVariable enables the comparison, and sets how long each round measures: BROKERAGE_BENCH_MIX=60s. It takes more
	// than half an hour, and needs an idle machine.
	mixVariable = "BROKERAGE_BENCH_MIX"

	// mixBase is the commit whose null: is the measure, unless BASE names another.
	mixBase = "ca8b24f"
	// here is the folder of this source.
	here = "../.."
)

// The aims: processor time of a transaction on the embedded store by that of the measure, and its share of raw on disk.
const (
	aimMix  = 2.5
	aimDisk = 40 // %
)

// mix measures services with the mixed workload, each a separate process of its own build, which a driver in a separate
// process uses over HTTP.
type mix struct {
	*speed

	ramp time.Duration
	seed int // of the last run; each has its own, because what it writes stays in the database
}

// contender is a build that serves a database.
type contender struct {
	name   string // in the table
	source string // folder of the source
	binary string
	db     string // file of the database; without one, the service answers from memory
	stored string // what the load of the database printed last: documents, raw bytes, stored bytes, share
	runs   []result.Run
}

// BenchmarkMix prints a table for docs/performance.md: `make bench-mix`.
func BenchmarkMix(b *testing.B) {
	m := &mix{
		speed: newSpeed(b, mixVariable, 5, "XXXS"), ramp: duration(b, "RAMP", cmp.Or(os.Getenv("RAMP"), "20s")),
	}
	contenders := m.contenders(b, cmp.Or(os.Getenv("BASE"), mixBase))
	for _, c := range contenders {
		m.build(c)
		if _, err := os.Stat(c.db); c.db != "" && err != nil {
			c.stored = m.load(c)
		}
	}
	for round := range m.rounds {
		for turn := range contenders { // each is measured first once
			c := contenders[(turn+round)%len(contenders)]
			c.runs = append(c.runs, m.measure(c))
			fmt.Fprintf(os.Stderr, "round %d of %d: %s: %.0f/s, %.0f µs\n", round+1, m.rounds, c.name, c.runs[round].TPS,
				c.cost(round))
		}
	}
	fmt.Printf("\nThe mixed workload over HTTP, %s, %d users, %d alternating rounds of %s after %s, medians\n\n",
		m.scale, m.users, m.rounds, m.each, m.ramp)
	m.print(contenders)
}

// contenders returns what is compared, the measure first. ONLY, a regular expression, selects some of the others.
func (m *mix) contenders(b *testing.B, commit string) []*contender {
	b.Helper()
	source := filepath.Join(m.folder, "source")
	m.checkOut(commit, source)
	file := func(name string) string { return filepath.Join(m.folder, name) }
	all := []*contender{
		{name: "null: of " + commit, source: source, binary: file("before")},
		{name: "sqlite: of " + commit, source: source, binary: file("before"), db: file("before.db")},
		{name: "null:", source: here, binary: file("after")},
		{name: "sqlite:", source: here, binary: file("after"), db: file("after.db")},
	}
	only, err := regexp.Compile(os.Getenv("ONLY"))
	require.NoError(b, err, "ONLY")
	chosen := all[:1]
	for _, c := range all[1:] {
		if only.MatchString(c.name) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// tool runs a program of this machine.
func (m *mix) tool(name string, args ...string) {
	m.b.Helper()
	out, err := exec.CommandContext(m.b.Context(), name, args...).CombinedOutput()
	require.NoError(m.b, err, "%s %v: %s", name, args, out)
}

// checkOut writes the source of a commit into a new folder.
func (m *mix) checkOut(commit, folder string) {
	m.b.Helper()
	file := folder + ".tar"
	m.tool("git", "-C", here, "archive", "--output", file, commit)
	require.NoError(m.b, os.Mkdir(folder, 0o700))
	m.tool("tar", "-C", folder, "-xf", file)
}

func (m *mix) build(c *contender) {
	m.b.Helper()
	args := []string{"build", "-C", c.source, "-trimpath", "-buildvcs=false", "-o", c.binary}
	m.tool("go", append(args, "./cmd/brokerage")...)
}

// load creates the database, and returns the last line that the command prints, which is the total.
func (m *mix) load(c *contender) string {
	m.b.Helper()
	out, err := exec.CommandContext(m.b.Context(), c.binary, "load", "--db", "sqlite:"+c.db, "--scale", m.scale).Output()
	require.NoError(m.b, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(strings.Fields(lines[len(lines)-1]), " ")
}

// serve starts the service.
func (m *mix) serve(c *contender) *instance {
	m.b.Helper()
	db := "null:"
	if c.db != "" {
		db = "sqlite:" + c.db
	}
	return startingAs(m.b, c.binary, "", nil, "--db", db, "--log-format", "json").listening(m.b)
}

// measure runs the workload once against a service of its own.
func (m *mix) measure(c *contender) (run result.Run) {
	m.b.Helper()
	i := m.serve(c)
	run = m.drive(i.url)
	i.stop(m.b)
	return run
}

func (m *mix) drive(url string) (run result.Run) {
	m.b.Helper()
	m.seed++
	file := filepath.Join(m.folder, "result.json")
	m.run("drive", "--allow-invalid", "--url", url, "--users", strconv.Itoa(m.users), "--seed", strconv.Itoa(m.seed),
		"--ramp", m.ramp.String(), "--duration", m.each.String(), "--every", "0s", "--json", file)
	m.read(file, &run)
	require.Empty(m.b, run.Total.Unexpected)
	require.NotNil(m.b, run.Usage.Service)
	return run
}

// cost returns the processor time of the service for one transaction in a round, in microseconds.
func (c *contender) cost(round int) float64 {
	run := c.runs[round]
	return 1e6 * run.Usage.Service.CPUSeconds / float64(run.Total.Count)
}

// print prints the table. A ratio is the median of those of the rounds, which the speed of the machine changes least.
func (m *mix) print(contenders []*contender) {
	fmt.Println("| service | transactions a second | p99 | peak memory | processor time of a transaction by round, µs | " +
		"median | of the measure |\n|---|---|---|---|---|---|---|")
	for _, c := range contenders {
		var rates, tails, memory, costs, ratios []float64
		var rounds []string
		for round, run := range c.runs {
			cost := c.cost(round)
			rates, tails = append(rates, run.TPS), append(tails, run.Total.Latency.P99)
			memory, costs = append(memory, float64(run.Usage.Service.MemoryPeak)), append(costs, cost)
			ratios = append(ratios, cost/contenders[0].cost(round))
			rounds = append(rounds, fmt.Sprintf("%.0f", cost))
		}
		ratio := fmt.Sprintf("%.2f", middle(ratios))
		if c.db != "" && c.source == here {
			ratio = verdict(ratio, middle(ratios) <= aimMix)
		}
		fmt.Printf("| %s | %.0f | %.1f ms | %s | %s | %.0f | %s |\n", c.name, middle(rates), middle(tails)/1000,
			format.Bytes(middle(memory)), strings.Join(rounds, " "), middle(costs), ratio)
	}
	fmt.Printf("\naim for sqlite: at most %.1f of the measure\n", aimMix)
	for _, c := range contenders {
		if found := regexp.MustCompile(`([0-9.]+) %$`).FindStringSubmatch(c.stored); found != nil {
			share, err := strconv.ParseFloat(found[1], 64)
			require.NoError(m.b, err)
			fmt.Printf("on disk, %s %s (aim %d %% of raw)\n", c.name, verdict(c.stored, share <= aimDisk), aimDisk)
		}
	}
}
