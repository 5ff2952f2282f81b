package store

import (
	"strconv"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
	"brokerage/internal/xmldoc"
)

// ServiceNS is the namespace of answers about the service.
const ServiceNS = "urn:brokerage:service"

// DescribeDataset returns the description of a dataset and its store, which is the answer of get_dataset. A load test
// reads nothing else about the data. If d is nil, the data was not generated: only fingerprint and counts describe it.
func DescribeDataset(c tpox.Contents, d *dataset.Dataset, is tpox.EngineInfo, symbols bool) []byte {
	attributes := []string{"xmlns", ServiceNS, "fingerprint", c.Fingerprint}
	if d != nil {
		attributes = append(attributes, "scale", c.Scale, "profile", c.Profile,
			"seed", strconv.FormatUint(c.Seed, 10), "generator", strconv.Itoa(dataset.Version))
	}
	dst := xmldoc.AppendStart(make([]byte, 0, 2048), "Dataset", attributes...)
	for _, k := range []struct {
		name  string
		kind  dataset.Kind
		count int64
	}{
		{"Securities", dataset.Security, c.Securities},
		{"Customers", dataset.Customer, c.Customers},
		{"Orders", dataset.Order, c.Orders},
	} {
		attributes := []string{"count", number(k.count)}
		if d != nil {
			attributes = append(attributes, "first", number(d.ID(k.kind, 0)))
		}
		dst = xmldoc.AppendEmpty(dst, k.name, attributes...)
	}
	if d != nil {
		dst = appendAccounts(dst, d)
	}
	// Clients draw the parameters of search_securities from these ranges and sectors.
	dst = append(dst, "<Search>"...)
	dst = xmldoc.AppendEmpty(dst, "PEMin", "from", "20", "to", "23")
	dst = xmldoc.AppendEmpty(dst, "PEMax", "from", "25", "to", "27")
	dst = xmldoc.AppendEmpty(dst, "YieldMin", "from", "4", "to", "6")
	for _, sector := range dataset.Sectors() {
		dst = xmldoc.AppendElement(dst, "Sector", sector)
	}
	dst = append(dst, "</Search>"...)
	dst = xmldoc.AppendStart(dst, "Store", "engine", is.Name, "version", is.Version, "durability", is.Durability)
	for _, setting := range is.Settings {
		dst = xmldoc.AppendEmpty(dst, "Setting", "name", setting.Name, "value", setting.Value)
	}
	for i := range tpox.Transactions {
		name := tpox.Transactions[i].Name
		if faithful, known := is.Faithful[name]; known {
			dst = xmldoc.AppendEmpty(dst, "Transaction", "name", name, "faithful", string(faithful))
		}
	}
	dst = append(dst, "</Store>"...)
	if symbols && d != nil {
		dst = append(dst, "<Symbols>"...)
		for i := range int(d.Count(dataset.Security)) {
			dst = xmldoc.AppendElement(dst, "Symbol", d.Symbol(i))
		}
		dst = append(dst, "</Symbols>"...)
	}
	return append(dst, "</Dataset>"...)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// appendAccounts appends the pattern of account ids, which repeats after two or three customers. The ids are read
// from the generator.
func appendAccounts(dst []byte, d *dataset.Dataset) []byte {
	period := int64(2)
	if d.Spec().Profile == dataset.TPoX2 {
		period = 3
	}
	first := d.FirstAccount(0)
	dst = xmldoc.AppendStart(dst, "Accounts", "count", number(d.TotalAccounts()), "first", number(first),
		"stride", number(d.FirstAccount(period)-first))
	for k := range period {
		dst = xmldoc.AppendEmpty(dst, "Customer", "offset", number(d.FirstAccount(k)-first),
			"accounts", strconv.Itoa(d.Accounts(k)))
	}
	return append(dst, "</Accounts>"...)
}
