package workload

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/loadtest"
)

// Definition describes a workload.
type Definition struct {
	Schema      string  `json:"$schema"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Validate    bool    `json:"validate"` // of new and replaced documents
	Draws       Draws   `json:"draws"`
	Trades      Trades  `json:"trades"`
	Updates     Updates `json:"updates"`
	Prepare     Prepare `json:"prepare"`
	// NewDocuments is OwnDocuments or SharedDocuments.
	NewDocuments string        `json:"newDocuments"`
	Mix          []result.Part `json:"mix"`

	// Transactions of one's own, the values of their markers by name, and by engine the statements that run before them.
	Transactions []Own               `json:"transactions"`
	Values       map[string]*Value   `json:"values"`
	Setup        map[string][]string `json:"setup"`

	SHA256  string `json:"-"` // of the file and those that it names
	Weights string `json:"-"` // the text that has replaced Mix; empty for the file's own

	own []*Transaction // compiled
}

// Draws are the distributions of the keys that are drawn from the dataset.
type Draws struct {
	Order    Draw `json:"order"`
	Customer Draw `json:"customer"`
	Security Draw `json:"security"`
}

// Range is a range of whole numbers to draw from, both ends included.
type Range [2]int64

// UnmarshalJSON reads an array of exactly two numbers; the decoder alone would accept any length.
func (r *Range) UnmarshalJSON(text []byte) error {
	var ends []int64
	if err := json.Unmarshal(text, &ends); err != nil || len(ends) != len(r) {
		return fmt.Errorf("%s is not a range such as [1, 10]", text)
	}
	copy(r[:], ends)
	return nil
}

// Trades are the parameters of buy_security and sell_security.
type Trades struct {
	Sell struct {
		Quantity Range `json:"quantity"`
	} `json:"sell"`
	Buy struct {
		Quantity Range   `json:"quantity"`
		Held     float64 `json:"held"` // share of buys of a symbol that the account holds
	} `json:"buy"`
}

// Updates are the parameters of update_security_price and update_order_status.
type Updates struct {
	Price  Range    `json:"price"`  // in hundredths
	Status []string `json:"status"` // codes of FIX's OrdStatus, each as likely as the others
}

// Prepare is how many documents each user inserts before anything counts.
type Prepare struct {
	Orders    int `json:"orders"`
	Customers int `json:"customers"`
}

// Names are the names of the scenario's workloads.
var Names = []string{"classic", "insert-customers", "insert-orders", "mixed", "query"}

// maxFile bounds the file of a workload, and each list of values, in bytes.
const maxFile = 256 << 20

// Load reads the named workload of the scenario or, if the name has a slash or ends in .json, a file.
func Load(name string) (*Definition, error) {
	var file []byte
	var err error
	switch {
	case strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json"):
		file, err = output.ReadInput(name, maxFile)
	case slices.Contains(Names, name):
		file, err = loadtest.Workloads.ReadFile("workloads/" + name + ".json")
	default:
		return nil, fmt.Errorf("there is no workload %q: it is one of %s, or the path of a file",
			name, strings.Join(Names, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	return Parse(name, file)
}

// Parse reads and checks a definition. Files that it names are relative to the folder of the source. Its errors are one
// line and begin with the source.
func Parse(source string, file []byte) (*Definition, error) {
	d, err := parse(file)
	sum := sha256.New()
	sum.Write(file)
	if err == nil {
		err = d.compile(func(name string) ([]byte, error) {
			contents, err := output.ReadInput(filepath.Join(filepath.Dir(source), name), maxFile)
			sum.Write(contents)
			return contents, err
		})
	}
	if err == nil {
		err = d.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", source, readable(err, file))
	}
	d.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return d, nil
}

func parse(file []byte) (*Definition, error) {
	d := defaults()
	form := struct {
		*Definition

		Mix []struct {
			Transaction string   `json:"transaction"`
			Weight      *float64 `json:"weight"` // a missing weight is an error, not 0
		} `json:"mix"`
	}{Definition: d}
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&form); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the workload")
	}
	for _, p := range form.Mix {
		if p.Weight == nil {
			return nil, fmt.Errorf("mix: %q has no weight", p.Transaction)
		}
		d.Mix = append(d.Mix, result.Part{Transaction: p.Transaction, Weight: *p.Weight})
	}
	return d, nil
}

// defaults returns the defaults for a workload file. They are in a file that k6 reads too, so that both use the same
// ones.
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

// readable rewrites an error of the JSON decoder so that it has a line number and the names of fields as in the file.
func readable(err error, file []byte) error {
	line := func(offset int64) int { return 1 + bytes.Count(file[:min(offset, int64(len(file)))], []byte("\n")) }
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("line %d: %s must not be a %s", line(mismatch.Offset), mismatch.Field, mismatch.Value)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: not JSON: %w", line(syntax.Offset), err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not JSON: it ends too early")
	}
	return err
}

// SetWeights replaces the mix by one in the form get_order=30,buy_security=5. Transactions that it does not name do not
// run.
func (d *Definition) SetWeights(text string) error {
	d.Mix, d.Weights = nil, text
	for one := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(one, "=")
		weight, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			return fmt.Errorf("%q is not a transaction and its weight, such as get_order=30", one)
		}
		d.Mix = append(d.Mix, result.Part{Transaction: strings.TrimSpace(name), Weight: weight})
	}
	return d.Check()
}

var workloadName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// orderStatuses are the codes that the schema of orders allows.
const orderStatuses = "012346789ABCDE"

const (
	maxNumber  = 1_000_000 // of a range
	maxPrepare = 100_000
)

// Check returns an error if the workload cannot run.
func (d *Definition) Check() error {
	if !workloadName.MatchString(d.Name) {
		return fmt.Errorf("the name %q is not one to 64 lower-case letters, digits and hyphens", d.Name)
	}
	if _, err := d.parts(); err != nil {
		return err
	}
	err := cmp.Or(d.Draws.Order.check("draws.order"), d.Draws.Customer.check("draws.customer"),
		d.Draws.Security.check("draws.security"), d.Trades.Sell.Quantity.check("trades.sell.quantity"),
		d.Trades.Buy.Quantity.check("trades.buy.quantity"), d.Updates.Price.check("updates.price"))
	if err != nil {
		return err
	}
	if held := d.Trades.Buy.Held; !(held >= 0 && held <= 1) {
		return fmt.Errorf("trades.buy.held: %v is not a share from 0 to 1", held)
	}
	if len(d.Updates.Status) == 0 {
		return errors.New("updates.status: the list is empty")
	}
	for _, status := range d.Updates.Status {
		if len(status) != 1 || !strings.Contains(orderStatuses, status) {
			return fmt.Errorf("updates.status: %q is not a code of OrdStatus", status)
		}
	}
	if d.NewDocuments != OwnDocuments && d.NewDocuments != SharedDocuments {
		return fmt.Errorf("newDocuments: %q is neither %s nor %s", d.NewDocuments, OwnDocuments, SharedDocuments)
	}
	if p := d.Prepare; min(p.Orders, p.Customers) < 0 || max(p.Orders, p.Customers) > maxPrepare {
		return fmt.Errorf("prepare: not from 0 to %d", maxPrepare)
	}
	return nil
}

func (r Range) check(of string) error {
	if r[0] < 1 || r[1] > maxNumber || r[0] > r[1] {
		return fmt.Errorf("%s: [%d, %d] is not a range from 1 to %d", of, r[0], r[1], maxNumber)
	}
	return nil
}

// parts returns the transactions with a weight above 0, in the order of the registry, and then one's own.
func (d *Definition) parts() ([]Mixed, error) {
	weights := make(map[*Transaction]float64)
	total := 0.0
	for _, p := range d.Mix {
		t := d.named(p.Transaction)
		_, twice := weights[t]
		switch {
		case t == nil:
			return nil, fmt.Errorf("mix: there is no transaction %q: it is one of %s", p.Transaction, names(d.transactions()))
		case twice:
			return nil, fmt.Errorf("mix: %s is listed twice", p.Transaction)
		case !(p.Weight >= 0) || math.IsInf(p.Weight, 1):
			return nil, fmt.Errorf("mix: the weight of %s is %v, but must be a number of at least 0", p.Transaction, p.Weight)
		}
		weights[t] = p.Weight
		total += p.Weight
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return nil, errors.New("mix: no weight is above 0")
	}
	var parts []Mixed
	for _, t := range d.transactions() {
		if weights[t] == 0 {
			continue
		}
		if t.Source != nil && weights[t.Source] == 0 {
			return nil, fmt.Errorf("mix: %s without %s would run out of what it may remove", t.Name, t.Source.Name)
		}
		parts = append(parts, Mixed{t, weights[t] / total})
	}
	return parts, nil
}

// transactions returns all that the mix can contain.
func (d *Definition) transactions() []*Transaction { return slices.Concat(registry, d.own) }

// named returns the transaction with the given name, or nil.
func (d *Definition) named(name string) *Transaction {
	all := d.transactions()
	if i := slices.IndexFunc(all, func(t *Transaction) bool { return t.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

func names(all []*Transaction) string {
	var list []string
	for _, t := range all {
		list = append(list, t.Name)
	}
	return strings.Join(list, ", ")
}

// running returns the transactions of the mix with a weight above 0.
func (d *Definition) running() iter.Seq[*Transaction] {
	return func(yield func(*Transaction) bool) {
		for _, p := range d.Mix {
			if t := d.named(p.Transaction); t != nil && p.Weight > 0 && !yield(t) {
				return
			}
		}
	}
}

// has reports whether the mix has a transaction with a property.
func (d *Definition) has(property func(*Transaction) bool) bool {
	for t := range d.running() {
		if property(t) {
			return true
		}
	}
	return false
}

// DocumentsDrawn returns NewDocuments for a run that inserts some, "" for others.
func (d *Definition) DocumentsDrawn() string {
	if d.has(func(t *Transaction) bool { return t.location != nil }) {
		return d.NewDocuments
	}
	return ""
}

// Writes reports whether a run changes anything.
func (d *Definition) Writes() bool {
	return d.Prepare != (Prepare{}) || d.has(func(t *Transaction) bool { return t.Kind != tpox.Query })
}

// Replaces reports whether a run replaces whole documents.
func (d *Definition) Replaces() bool { return d.has(func(t *Transaction) bool { return t.Replaces }) }
