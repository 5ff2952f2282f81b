package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/testenv/basex"
	"brokerage/internal/tpox"
	"brokerage/internal/workload"
	"brokerage/internal/xmldoc"
)

// baseXVariable enables the comparison with BaseX, and sets how long each run takes: BROKERAGE_BENCH_BASEX=10s. It
// takes minutes, and needs an idle machine.
const baseXVariable = "BROKERAGE_BENCH_BASEX"

// The aims: how many times the processor time of the service BaseX uses for a query.
const aimQuery, aimGetOrder = 5, 4

// baseXBench compares the service on the embedded store with BaseX. Both have the same documents and get the same
// requests from the same client, alternating.
type baseXBench struct {
	*speed

	data *dataset.Dataset
	urls [2]string // the service, BaseX
}

// A comparison is a workload that both run: a row of the table. An aim of 0 is none.
type comparison struct {
	name     string
	aim      float64
	mix      []result.Part
	measured [][2]cost // the service, BaseX; for each round
}

// cost is what one run measured.
type cost struct {
	rate   float64 // transactions a second
	micros float64 // of the server's processor time for each
}

// BenchmarkBaseX prints a table for docs/performance.md: `make bench-basex`.
func BenchmarkBaseX(b *testing.B) {
	r := &baseXBench{speed: newSpeed(b, baseXVariable, 5, "XXXS")}
	scale, err := dataset.ParseScale(r.scale)
	require.NoError(b, err)
	r.data = dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	service := r.start()
	r.compareQueries()
	r.compareWrites()
	fmt.Printf(
		"\nBaseX 10.7, RESTXQ; the service, embedded store; %s; %d clients, %d alternating rounds of %s after a warm-up, "+
			"medians; processor time is that of the server\n\n", r.scale, r.users, r.rounds, r.each)
	comparisons := r.comparisons()
	for round := range 1 + r.rounds {
		for _, c := range comparisons {
			var both [2]cost
			for turn := range both {
				of := (turn + round) % len(both) // each is measured first in every second round
				both[of] = r.measure(c.name, r.urls[of])
			}
			if round > 0 { // the first one warms up
				c.measured = append(c.measured, both)
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round, r.rounds, c.name)
		}
	}
	fmt.Print("| transactions | service, a second | BaseX, a second | ratio | service, µs of processor time | BaseX, µs " +
		"| ratio | aim |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range comparisons {
		c.print()
	}
	service.stop(b)
}

// storeElement is the description of the store in the answer of get_dataset.
var storeElement = regexp.MustCompile(`<Store .*</Store>`)

// start loads and starts both, and returns the service.
func (r *baseXBench) start() *instance {
	db := "sqlite:" + filepath.Join(r.folder, "brokerage.db")
	r.run("load", "--db", db, "--scale", r.scale)
	service := serving(r.b, "", "--db", db, "--log-format", "json")
	address := freeAddress(r.b)
	basex.Start(r.b, address, r.data, map[string]string{
		"version":    get(r.b, service.url+"/version").body,
		"v1/dataset": storeElement.ReplaceAllString(get(r.b, service.url+"/v1/dataset?symbols=true").body, ""),
	})
	r.urls = [2]string{service.url, "http://" + address}
	return service
}

// comparisons returns each query, the two writes, and all of these with the weights of the mixed workload. It writes
// their definitions into the folder.
func (r *baseXBench) comparisons() (comparisons []*comparison) {
	writes, all := &comparison{name: "insert and delete order"}, &comparison{name: "all of these, mixed"}
	for _, t := range tpox.Transactions {
		part := result.Part{Transaction: t.Name, Weight: float64(t.Weight)}
		switch {
		case t.Name == "insert_order" || t.Name == "delete_order":
			writes.mix = append(writes.mix, part)
		case t.Kind != tpox.Query:
			continue // BaseX has no module for it
		case t.Name == "get_order":
			comparisons = append(comparisons, &comparison{name: t.Name, aim: aimGetOrder, mix: []result.Part{part}})
		default:
			comparisons = append(comparisons, &comparison{name: t.Name, aim: aimQuery, mix: []result.Part{part}})
		}
		all.mix = append(all.mix, part)
	}
	comparisons = append(comparisons, writes, all)
	definition, err := workload.Load("mixed")
	require.NoError(r.b, err)
	for _, c := range comparisons {
		one := *definition
		one.Name, one.Mix, one.Prepare = "compared", c.mix, workload.Prepare{}
		if c == writes || c == all {
			one.Prepare.Orders = 2 // for each user to delete
		}
		r.write(c.name+".json", one)
	}
	return comparisons
}

// measure runs a workload on one of the two.
func (r *baseXBench) measure(name, base string) cost {
	r.b.Helper()
	run := r.driven(name, "--url", base)
	require.NotNil(r.b, run.Usage.Service, "%s does not report its processor time", base)
	return cost{run.TPS, 1e6 * run.Usage.Service.CPUSeconds / (run.TPS * run.Measured)}
}

// print prints a row: medians, and the medians of the ratios of each round.
func (c *comparison) print() {
	var rates, micros [2][]float64
	var faster, cheaper []float64
	for _, both := range c.measured {
		for of, one := range both {
			rates[of], micros[of] = append(rates[of], one.rate), append(micros[of], one.micros)
		}
		faster = append(faster, both[0].rate/both[1].rate)
		cheaper = append(cheaper, both[1].micros/both[0].micros)
	}
	aim, ratio := "", fmt.Sprintf("%.1f", middle(cheaper))
	if c.aim > 0 {
		aim, ratio = fmt.Sprintf("%.0f", c.aim), verdict(ratio, middle(cheaper) >= c.aim)
	}
	fmt.Printf("| %s | %.0f | %.0f | %.1f | %.0f | %.0f | %s | %s |\n", c.name, middle(rates[0]), middle(rates[1]),
		middle(faster), middle(micros[0]), middle(micros[1]), ratio, aim)
}

// sampled is the number of keys of each kind whose answers are compared.
const sampled = 200

// compareQueries requires the same answers from both to every query, for keys from all over the dataset, and for keys
// that do not exist.
func (r *baseXBench) compareQueries() {
	r.b.Helper()
	paths := []string{
		"/v1/orders/1", "/v1/customers/1/profile", "/v1/customers/1/statement", "/v1/customers/1/orders/largest",
		"/v1/securities/none", "/v1/securities/none/price",
	}
	for i := range int64(sampled) {
		at := func(k dataset.Kind) int64 { return i * (r.data.Count(k) - 1) / (sampled - 1) }
		customer := fmt.Sprintf("/v1/customers/%d", r.data.ID(dataset.Customer, at(dataset.Customer)))
		security := "/v1/securities/" + r.data.Symbol(int(at(dataset.Security)))
		paths = append(paths, fmt.Sprintf("/v1/orders/%d", r.data.ID(dataset.Order, at(dataset.Order))), security,
			security+"/price", customer+"/profile", customer+"/statement", customer+"/orders/largest")
	}
	for i, sector := range dataset.Sectors() {
		paths = append(paths, fmt.Sprintf("/v1/securities?sector=%s&peMin=%d&peMax=%d&yieldMin=%d", url.QueryEscape(sector),
			20+i%4, 25+i%3, 4+i%3))
	}
	for _, path := range paths {
		r.requireSame(path)
	}
}

// requireSame requires the same status and, if there is one, the same document from both.
func (r *baseXBench) requireSame(path string) {
	r.b.Helper()
	var answers [2]string
	for i, base := range r.urls {
		answer := get(r.b, base+path)
		answers[i] = http.StatusText(answer.status)
		if answer.status == http.StatusOK {
			doc, err := xmldoc.Admit([]byte(answer.body), xmldoc.Limits{})
			require.NoError(r.b, err, "%s%s: %s", base, path, answer.body)
			answers[i] = string(xmldoc.Canonical(doc))
		}
	}
	require.Equal(r.b, answers[0], answers[1], path)
}

// compareWrites inserts an order into both, reads it and deletes it again.
func (r *baseXBench) compareWrites() {
	r.b.Helper()
	order := strings.Replace(string(r.data.Append(nil, dataset.Order, 0)), ` ID="103282"`, ` ID="999999999"`, 1)
	const path = "/v1/orders/999999999"
	for _, step := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPost, "/v1/orders", order, http.StatusCreated},
		{http.MethodPost, "/v1/orders", order, http.StatusConflict},
		{http.MethodGet, path, "", http.StatusOK},
		{http.MethodDelete, path, "", http.StatusNoContent},
		{http.MethodDelete, path, "", http.StatusNotFound},
	} {
		for _, base := range r.urls {
			answer := send(r.b, step.method, base+step.path, "", step.body)
			require.Equal(r.b, step.status, answer.status, "%s %s%s: %s", step.method, base, step.path, answer.body)
		}
		r.requireSame(path)
	}
}
