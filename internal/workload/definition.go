package workload

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"brokerage/internal/brokerage"
	"brokerage/loadtest"
)

// Definition is a workload.
type Definition struct {
	Schema      string  `json:"$schema"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Validate    bool    `json:"validate"` // new and replaced documents
	Draws       Draws   `json:"draws"`
	Search      Search  `json:"search"`
	Trades      Trades  `json:"trades"`
	Updates     Updates `json:"updates"`
	Prepare     Prepare `json:"prepare"`
	Mix         []Part  `json:"mix"`

	SHA256 string `json:"-"` // of the file
}

// Part is a transaction of a mix.
type Part struct {
	Transaction string  `json:"transaction"`
	Weight      float64 `json:"weight"` // in relation to the sum of all
}

// Draws say how keys are drawn from those of the dataset.
type Draws struct {
	Order    Draw `json:"order"`
	Customer Draw `json:"customer"`
	Security Draw `json:"security"`
}

// Draw is a distribution: uniform, zipf with the exponent S, or sequential.
type Draw struct {
	Distribution string  `json:"distribution"`
	S            float64 `json:"s"`
}

// The distributions.
const (
	Uniform    = "uniform"
	Zipf       = "zipf"
	Sequential = "sequential"
)

// Range is whole numbers from which is drawn, both ends included.
type Range [2]int64

// UnmarshalJSON takes an array of two, where the decoder would take any.
func (r *Range) UnmarshalJSON(text []byte) error {
	var ends []int64
	if err := json.Unmarshal(text, &ends); err != nil {
		return fmt.Errorf("%s is not a range such as [1, 10]", text)
	}
	if len(ends) != len(r) {
		return fmt.Errorf("%s is not a range such as [1, 10]", text)
	}
	copy(r[:], ends)
	return nil
}

// Search are the ranges of search_securities; nil is for the dataset to say.
type Search struct {
	PEMin    *Range `json:"peMin"`
	PEMax    *Range `json:"peMax"`
	YieldMin *Range `json:"yieldMin"`
}

// Trades say what is bought and sold.
type Trades struct {
	Sell struct {
		Quantity Range `json:"quantity"`
	} `json:"sell"`
	Buy struct {
		Quantity Range   `json:"quantity"`
		Held     float64 `json:"held"` // share of buys of what the account holds
	} `json:"buy"`
}

// Updates say what is written into securities and orders.
type Updates struct {
	Price  Range    `json:"price"`  // in hundredths
	Status []string `json:"status"` // codes of FIX's OrdStatus, each as likely as the others
}

// Prepare is what each user inserts before anything counts.
type Prepare struct {
	Orders    int `json:"orders"`
	Customers int `json:"customers"`
}

// Names are the workloads of the scenario.
func Names() []string {
	entries, err := fs.ReadDir(loadtest.Workloads, "workloads")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.HasSuffix(name, ".schema") && name != "defaults" {
			names = append(names, name)
		}
	}
	return names
}

// Load reads the workload of a name or, where name is a path (it has a slash or
// ends in .json), from a file.
func Load(name string) (*Definition, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json") {
		file, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("workload: %w", err)
		}
		return Parse(name, file)
	}
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("there is no workload %q: it is one of %s, or the path of a file", name, strings.Join(Names(), ", "))
	}
	file, err := loadtest.Workloads.ReadFile(path.Join("workloads", name+".json"))
	if err != nil {
		return nil, err
	}
	return Parse(name, file)
}

// Parse reads a definition; source is its name in errors, which are one line.
func Parse(source string, file []byte) (*Definition, error) {
	d := defaults()
	form := struct {
		*Definition

		Mix []struct {
			Transaction string   `json:"transaction"`
			Weight      *float64 `json:"weight"` // one that is forgotten is not one of 0
		} `json:"mix"`
	}{Definition: d}
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&form)
	if err == nil {
		if _, next := decoder.Token(); !errors.Is(next, io.EOF) {
			err = errors.New("something follows the workload")
		}
	}
	for _, p := range form.Mix {
		if err == nil && p.Weight == nil {
			err = fmt.Errorf("mix: %q is without a weight", p.Transaction)
		} else if err == nil {
			d.Mix = append(d.Mix, Part{p.Transaction, *p.Weight})
		}
	}
	if err == nil {
		err = d.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", source, readable(err, file))
	}
	sum := sha256.Sum256(file)
	d.SHA256 = hex.EncodeToString(sum[:])
	return d, nil
}

// defaults returns what stands for what a file leaves out. It is a file, which
// k6 reads too, so that both draw the same.
func defaults() *Definition {
	d := &Definition{}
	file, err := loadtest.Workloads.ReadFile("workloads/defaults.json")
	if err == nil {
		err = json.Unmarshal(file, d)
	}
	if err != nil {
		panic(err) // it is embedded
	}
	return d
}

// readable says where an error of the decoder is, in the words of JSON.
func readable(err error, file []byte) error {
	line := func(offset int64) int { return 1 + bytes.Count(file[:min(offset, int64(len(file)))], []byte("\n")) }
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: %s is a %s, which it cannot be", line(wrong.Offset), wrong.Field, wrong.Value)
	}
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: not JSON: %w", line(wrong.Offset), err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not JSON: it ends too early")
	}
	return err
}

var workloadName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// orderStatuses are the codes that the schema of orders has.
const orderStatuses = "012346789ABCDE"

const (
	maxNumber  = 1_000_000 // of a range
	maxPrepare = 100_000
)

// Check refuses what cannot be run.
func (d *Definition) Check() error {
	if !workloadName.MatchString(d.Name) {
		return fmt.Errorf("the name %q is not one to 64 small letters, digits and hyphens", d.Name)
	}
	if _, err := d.weights(); err != nil {
		return err
	}
	for _, draw := range []struct {
		of string
		Draw
	}{{"order", d.Draws.Order}, {"customer", d.Draws.Customer}, {"security", d.Draws.Security}} {
		if err := draw.check(); err != nil {
			return fmt.Errorf("draws.%s: %w", draw.of, err)
		}
	}
	ranges := []struct {
		of    string
		least int64
		*Range
	}{
		{"search.peMin", 0, d.Search.PEMin}, {"search.peMax", 0, d.Search.PEMax}, {"search.yieldMin", 0, d.Search.YieldMin},
		{"trades.sell.quantity", 1, &d.Trades.Sell.Quantity}, {"trades.buy.quantity", 1, &d.Trades.Buy.Quantity}, {"updates.price", 1, &d.Updates.Price},
	}
	for _, r := range ranges {
		if r.Range != nil && (r.Range[0] < r.least || r.Range[1] > maxNumber || r.Range[0] > r.Range[1]) {
			return fmt.Errorf("%s: [%d, %d] is not a range from %d to %d", r.of, r.Range[0], r.Range[1], r.least, maxNumber)
		}
	}
	if held := d.Trades.Buy.Held; !(held >= 0 && held <= 1) {
		return fmt.Errorf("trades.buy.held: %v is not a share from 0 to 1", held)
	}
	if len(d.Updates.Status) == 0 {
		return errors.New("updates.status: there is none to draw")
	}
	for _, status := range d.Updates.Status {
		if len(status) != 1 || !strings.Contains(orderStatuses, status) {
			return fmt.Errorf("updates.status: %q is not a code of OrdStatus", status)
		}
	}
	if p := d.Prepare; p.Orders < 0 || p.Customers < 0 || p.Orders > maxPrepare || p.Customers > maxPrepare {
		return fmt.Errorf("prepare: not from 0 to %d", maxPrepare)
	}
	return nil
}

func (d Draw) check() error {
	switch d.Distribution {
	case Uniform, Sequential:
		if d.S != 0 {
			return fmt.Errorf("s is for zipf, not for %s", d.Distribution)
		}
	case Zipf:
		if !(d.S > 1 && d.S <= 10) {
			return fmt.Errorf("the exponent s is %v, and must be above 1 and at most 10", d.S)
		}
	default:
		return fmt.Errorf("there is no distribution %q: it is one of %s, %s, %s", d.Distribution, Uniform, Zipf, Sequential)
	}
	return nil
}

// weights are the shares of all transactions, by their place in the registry.
func (d *Definition) weights() ([]float64, error) {
	shares := make([]float64, len(registry))
	named := make([]bool, len(registry))
	total := 0.0
	for _, p := range d.Mix {
		t := find(p.Transaction)
		switch {
		case t < 0:
			return nil, fmt.Errorf("mix: there is no transaction %q", p.Transaction)
		case named[t]:
			return nil, fmt.Errorf("mix: %s stands twice", p.Transaction)
		case !(p.Weight >= 0) || math.IsInf(p.Weight, 1):
			return nil, fmt.Errorf("mix: the weight of %s is %v, and must be a number from 0", p.Transaction, p.Weight)
		}
		shares[t], named[t] = p.Weight, true
		total += p.Weight
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, errors.New("mix: the weights have no sum above 0")
	}
	for taking, making := range source {
		if shares[taking] > 0 && shares[making] == 0 {
			return nil, fmt.Errorf("mix: %s without %s would run out of what it may take away", registry[taking].Name, registry[making].Name)
		}
	}
	for t := range shares {
		shares[t] /= total
	}
	return shares, nil
}

// has tells whether a mix has one of some transactions.
func (d *Definition) has(transactions ...int) bool {
	return slices.ContainsFunc(d.Mix, func(p Part) bool { return p.Weight > 0 && slices.Contains(transactions, find(p.Transaction)) })
}

// writes tells whether a run changes anything.
func (d *Definition) writes() bool {
	return d.Prepare != (Prepare{}) || slices.ContainsFunc(d.Mix, func(p Part) bool {
		t := find(p.Transaction)
		return p.Weight > 0 && t >= 0 && registry[t].Kind != brokerage.Query
	})
}
