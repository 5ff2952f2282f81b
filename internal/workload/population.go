package workload

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"

	"brokerage/internal/dataset"
	"brokerage/internal/result"
	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// Population describes the dataset, in the form of GET /v1/dataset?symbols=true: it is all that users know of the data.
type Population struct {
	XMLName     xml.Name `xml:"urn:brokerage:service Dataset"`
	Fingerprint string   `xml:"fingerprint,attr"`
	Scale       string   `xml:"scale,attr"`
	Profile     string   `xml:"profile,attr"`
	Seed        uint64   `xml:"seed,attr"`
	Securities  counted  `xml:"Securities"`
	Customers   counted  `xml:"Customers"`
	Orders      counted  `xml:"Orders"`
	Accounts    struct {
		counted

		Stride  int64      `xml:"stride,attr"`
		Pattern []struct { // of customers, repeated
			Offset   int64 `xml:"offset,attr"` // of the first account
			Accounts int64 `xml:"accounts,attr"`
		} `xml:"Customer"`
	} `xml:"Accounts"`
	Search struct {
		PEMin    bounds   `xml:"PEMin"`
		PEMax    bounds   `xml:"PEMax"`
		YieldMin bounds   `xml:"YieldMin"`
		Sectors  []string `xml:"Sector"`
	} `xml:"Search"`
	Store struct {
		Name       string `xml:"engine,attr"`
		Version    string `xml:"version,attr"`
		Durability string `xml:"durability,attr"`
		Settings   []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"Setting"`
		Faithful []struct {
			Transaction string        `xml:"name,attr"`
			Faithful    tpox.Fidelity `xml:"faithful,attr"`
		} `xml:"Transaction"`
	} `xml:"Store"`
	Symbols []string `xml:"Symbols>Symbol"`
}

type counted struct {
	Count int64 `xml:"count,attr"`
	First int64 `xml:"first,attr"`
}

type bounds struct {
	From int64 `xml:"from,attr"`
	To   int64 `xml:"to,attr"`
}

// ErrNoDataset is the error of a database that holds no generated dataset.
var ErrNoDataset = errors.New("the database holds no dataset to draw from: load one")

// Check returns an error if there is nothing to draw from, or fewer documents than users: then users would spend most
// of a run waiting for each other.
func (p *Population) Check(users int) error {
	switch {
	case p.Fingerprint == "" || p.Scale == "" || p.Securities.Count < 1 ||
		len(p.Accounts.Pattern) == 0 || p.Accounts.Count < 1 || len(p.Search.Sectors) == 0:
		return ErrNoDataset
	case int64(len(p.Symbols)) != p.Securities.Count:
		return fmt.Errorf("the dataset has %d securities, but lists %d symbols", p.Securities.Count, len(p.Symbols))
	case p.Customers.Count < int64(users) || p.Orders.Count < int64(users):
		return fmt.Errorf("the dataset %s is too small for %d users: it has %d customers and %d orders",
			p.Fingerprint, users, p.Customers.Count, p.Orders.Count)
	}
	return nil
}

func (p *Population) order(i int64) tpox.ID    { return tpox.ID(p.Orders.First + i) }
func (p *Population) customer(k int64) tpox.ID { return tpox.ID(p.Customers.First + k) }

// accounts returns the first account of customer k, and the number of its accounts, whose ids follow the first.
func (p *Population) accounts(k int64) (first, n int64) {
	period := int64(len(p.Accounts.Pattern))
	own := p.Accounts.Pattern[k%period]
	return p.Accounts.First + p.Accounts.Stride*(k/period) + own.Offset, own.Accounts
}

// Stamp identifies the dataset.
func (p *Population) Stamp() result.DatasetStamp {
	return result.DatasetStamp{
		Fingerprint: cmp.Or(p.Fingerprint, "none"), Scale: p.Scale, Profile: p.Profile, Seed: p.Seed,
		Securities: p.Securities.Count, Customers: p.Customers.Count, Orders: p.Orders.Count,
	}
}

// Settings returns the settings that the store reports, with its version and durability.
func (p *Population) Settings() map[string]string {
	settings := map[string]string{"durability": p.Store.Durability, "version": p.Store.Version}
	for _, setting := range p.Store.Settings {
		settings[setting.Name] = setting.Value
	}
	return settings
}

// Faithful returns how the store runs each transaction; it is empty if the store does not report it.
func (p *Population) Faithful() map[string]tpox.Fidelity {
	all := make(map[string]tpox.Fidelity)
	for _, f := range p.Store.Faithful {
		all[f.Transaction] = f.Faithful
	}
	return all
}

// PopulationOf returns what a service would return for the contents of a store, and ErrNoDataset without a dataset.
func PopulationOf(c tpox.Contents, is tpox.EngineInfo) (*Population, error) {
	var d *dataset.Dataset
	if c.Scale != "" {
		spec, err := dataset.ParseSpec(c.Scale, c.Profile, c.Seed)
		if err != nil {
			return nil, err
		}
		d = dataset.New(spec)
	}
	p := &Population{}
	err := xml.Unmarshal(store.DescribeDataset(c, d, is, true), p)
	if err == nil && d == nil {
		err = ErrNoDataset
	}
	return p, err
}
