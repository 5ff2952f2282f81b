package workload

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
	"brokerage/loadtest"
)

// Definition describes a workload. The schema of its file says what each field is for.
type Definition struct {
	Name     string `json:"name"`
	Validate bool   `json:"validate"`
	Draws    struct {
		Order    Draw `json:"order"`
		Customer Draw `json:"customer"`
		Security Draw `json:"security"`
	} `json:"draws"`
	Trades struct {
		Sell struct {
			Quantity Range `json:"quantity"`
		} `json:"sell"`
		Buy struct {
			Quantity Range   `json:"quantity"`
			Held     float64 `json:"held"`
		} `json:"buy"`
	} `json:"trades"`
	Updates struct {
		Price  Range    `json:"price"` // in hundredths
		Status []string `json:"status"`
	} `json:"updates"`
	Prepare struct {
		Orders    int `json:"orders"`
		Customers int `json:"customers"`
	} `json:"prepare"`
	NewDocuments string              `json:"newDocuments"` // OwnDocuments or SharedDocuments
	Mix          []result.Part       `json:"mix"`
	Transactions []Own               `json:"transactions"`
	Values       map[string]*Value   `json:"values"` // of the markers of Transactions
	Setup        map[string][]string `json:"setup"`  // statements that run before Transactions, by engine

	SHA256  string `json:"-"` // of the file and those that it names
	Weights string `json:"-"` // the text that has replaced Mix; empty for the file's own

	own []*Transaction // compiled Transactions
}

// Names are the names of the scenario's workloads.
var Names = []string{"classic", "insert-customers", "insert-orders", "mixed", "query"}

const (
	maxFile   = 256 << 20 // bytes of the file of a workload, and of each file that it names
	maxWeight = 1_000_000_000
)

// Load reads and checks the named workload of the scenario or, if the name has a slash or ends in .json, a file. Files
// that it names are relative to its folder. Errors are one line.
func Load(name string) (*Definition, error) {
	var text []byte
	var err error
	switch {
	case strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".json"):
		text, err = output.ReadInput(name, maxFile)
	case slices.Contains(Names, name):
		text, err = loadtest.Workloads.ReadFile("workloads/" + name + ".json")
	default:
		return nil, fmt.Errorf("there is no workload %q: use one of %s, or the path of a file",
			name, strings.Join(Names, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	d := &Definition{}
	sum := sha256.New()
	sum.Write(text)
	err = d.parse(text, func(file string) ([]byte, error) {
		contents, err := output.ReadInput(filepath.Join(filepath.Dir(name), file), maxFile)
		sum.Write(contents)
		return contents, err
	})
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", name, err)
	}
	d.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return d, nil
}

// schema is the schema of workload files.
var schema = sync.OnceValue(func() *jsonschema.Schema {
	const url = "file:///workload.schema.json"
	c := jsonschema.NewCompiler()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(loadtest.Schema))
	if err = cmp.Or(err, c.AddResource(url, document)); err != nil {
		panic(err) // it is embedded
	}
	return c.MustCompile(url)
})

func (d *Definition) parse(text []byte, read func(file string) ([]byte, error)) error {
	if err := json.Unmarshal(text, new(any)); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fmt.Errorf("line %d: not JSON: %w", 1+bytes.Count(text[:syntax.Offset], []byte("\n")), err)
		}
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text)) // which keeps numbers as they are written
	if err != nil {
		return err
	}
	if violation, ok := errors.AsType[*jsonschema.ValidationError](schema().Validate(document)); ok {
		for { // down to the field that is wrong
			if _, ok := violation.ErrorKind.(*kind.OneOf); ok {
				return fmt.Errorf("at '/%s': exactly one of range, list, file and ids is required",
					strings.Join(violation.InstanceLocation, "/"))
			}
			if len(violation.Causes) == 0 {
				return violation
			}
			violation = violation.Causes[0]
		}
	}
	text, err = json.Marshal(document) // what was checked: a field that is given twice counts once
	if err != nil {
		return err
	}
	for _, layer := range [][]byte{loadtest.Defaults, text} {
		if err := json.Unmarshal(layer, d); err != nil {
			return err
		}
	}
	err = cmp.Or(d.Trades.Sell.Quantity.check("trades.sell.quantity"), d.Trades.Buy.Quantity.check("trades.buy.quantity"),
		d.Updates.Price.check("updates.price"))
	if err == nil {
		err = d.compile(read)
	}
	if err == nil {
		_, err = d.parts()
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
	_, err := d.parts()
	return err
}

// Mixed is a transaction of a mix and its share of the draws, as a fraction of 1.
type Mixed struct {
	*Transaction

	Share float64
}

// parts returns the transactions with a weight above 0: first the predefined ones, as Transactions orders them, then
// those of the workload file. It returns an error if the mix cannot run.
func (d *Definition) parts() ([]Mixed, error) {
	all := slices.Concat(Transactions(), d.own)
	weights, total := make(map[string]float64), 0.0
	for _, p := range d.Mix {
		_, twice := weights[p.Transaction]
		switch {
		case !slices.ContainsFunc(all, func(t *Transaction) bool { return t.Name == p.Transaction }):
			return nil, fmt.Errorf("mix: there is no transaction %q: use one of %s", p.Transaction, names(all))
		case twice:
			return nil, fmt.Errorf("mix: %s is listed twice", p.Transaction)
		case !(p.Weight >= 0 && p.Weight <= maxWeight):
			return nil, fmt.Errorf("mix: the weight of %s is %v, but must be from 0 to %d", p.Transaction, p.Weight, maxWeight)
		}
		weights[p.Transaction] = p.Weight
		total += p.Weight
	}
	if total == 0 {
		return nil, errors.New("mix: no weight is above 0")
	}
	var parts []Mixed
	for _, t := range all {
		switch {
		case weights[t.Name] == 0:
		case t.Source != nil && weights[t.Source.Name] == 0:
			return nil, fmt.Errorf("mix: %s without %s would run out of documents to remove", t.Name, t.Source.Name)
		default:
			parts = append(parts, Mixed{t, weights[t.Name] / total})
		}
	}
	return parts, nil
}

func names(all []*Transaction) string {
	var list []string
	for _, t := range all {
		list = append(list, t.Name)
	}
	return strings.Join(list, ", ")
}

// has reports whether the mix has a transaction with a property.
func (d *Definition) has(property func(*Transaction) bool) bool {
	parts, _ := d.parts() // checked when it was read
	return slices.ContainsFunc(parts, func(m Mixed) bool { return property(m.Transaction) })
}

// prepares reports whether users insert documents before anything counts.
func (d *Definition) prepares() bool { return d.Prepare.Orders+d.Prepare.Customers > 0 }

// InsertsDocuments reports whether a run inserts documents, for which it leases ids.
func (d *Definition) InsertsDocuments() bool { return d.prepares() || d.DocumentsDrawn() != "" }

// DocumentsDrawn returns NewDocuments for a mix that inserts documents, "" for others.
func (d *Definition) DocumentsDrawn() string {
	if d.has(func(t *Transaction) bool { return t.location != "" }) {
		return d.NewDocuments
	}
	return ""
}

// Writes reports whether a run changes anything.
func (d *Definition) Writes() bool {
	return d.prepares() || d.has(func(t *Transaction) bool { return t.Kind != tpox.Query })
}

// Replaces reports whether a run replaces whole documents.
func (d *Definition) Replaces() bool { return d.has(func(t *Transaction) bool { return t.Replaces }) }
