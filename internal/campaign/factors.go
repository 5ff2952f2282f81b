package campaign

import (
	"slices"
	"strings"
)

// The factors of the physical design. A variant changes one of them.
const (
	factorCompression = "compression"
	factorIndexes     = "indexes"
	factorInlining    = "inlining"
	factorPools       = "buffer pools"
	factorDurability  = "durability"
	factorConnections = "connections"
)

// Absent is a factor that a store does not have.
type Absent struct {
	Factor string `json:"factor"`
	Reason string `json:"reason"`
}

// variants returns what is compared with the default settings: with Factors, also designs that take long to make.
func (s Settings) variants(e Subject, cores int) (all []Variant) {
	if s.Tuned || s.Factors {
		all = e.Variants(cores)
	}
	if s.Factors {
		all = slices.Concat(all, e.Designs())
	}
	return all
}

// a design is the physical design of a variant, as statements of a database.
type design struct {
	before []string // before the documents are stored again
	after  []string // when they are stored
	undo   []string // so that documents that are stored again have the default design; may be run at any time
}

// designs are the designs of an engine, by the names of their variants.
type designs map[string]design

const (
	uncompressed = "uncompressed"
	fewIndexes   = "few indexes"
	manyIndexes  = "many indexes"
	inlined      = "inlined"
	pglz         = "pglz"
)

// designVariant returns the variant of a design.
func designVariant(factor, name, description string) Variant {
	return Variant{Name: name, Description: description, Factor: factor, Design: name}
}

// sqliteDesigns change a restored file, which the next restore replaces. Documents are packed, so that indexes are on
// the columns beside them.
var sqliteDesigns = designs{
	fewIndexes: {after: []string{
		"DROP INDEX IF EXISTS orders_cash", "DROP INDEX IF EXISTS securities_search",
		"DROP INDEX IF EXISTS accounts_customer",
	}},
	manyIndexes: {after: []string{
		"CREATE INDEX more_orders_cash ON orders (cash)", "CREATE INDEX more_orders_account ON orders (account)",
		"CREATE INDEX more_accounts ON accounts (customer, id)", "CREATE INDEX more_securities_name ON securities (name)",
		"CREATE INDEX more_securities_type ON securities (type)", "CREATE INDEX more_securities_pe ON securities (pe)",
		"CREATE INDEX more_securities_yield ON securities (yield)",
		"CREATE INDEX more_securities_trade ON securities (last_trade)",
	}},
}

// postgresDesigns change the tables. The documents are stored again after that, by a restore, which also makes the
// usual indexes: they are dropped after it.
var postgresDesigns = designs{
	uncompressed: {before: eachTable("ALTER COLUMN doc SET STORAGE EXTERNAL"),
		undo: eachTable("ALTER COLUMN doc SET STORAGE EXTENDED")},
	pglz: {before: eachTable("ALTER COLUMN doc SET COMPRESSION pglz"),
		undo: []string{lz4WhereThere}},
	inlined: {before: eachTable("SET (toast_tuple_target = 8160)"), undo: eachTable("RESET (toast_tuple_target)")},
	fewIndexes: {after: []string{
		"DROP INDEX IF EXISTS brokerage.account_orders_cash",
		"DROP INDEX IF EXISTS brokerage.security_search_sector",
	}},
	manyIndexes: {
		after: []string{
			orderIndex("side", "/f:FIXML/f:Order/@Side"), orderIndex("symbol", "/f:FIXML/f:Order/f:Instrmt/@Sym"),
			orderIndex("day", "/f:FIXML/f:Order/@TrdDt"),
			customerIndex("last_name", "/f:Customer/f:Name/f:LastName/text()"),
			customerIndex("nationality", "/f:Customer/f:Nationality/text()"),
			customerIndex("birth", "/f:Customer/f:DateOfBirth/text()"),
			securityIndex("name", "/f:Security/f:Name/text()"), securityIndex("type", "/f:Security/f:SecurityType/text()"),
			securityIndex("pe", "/f:Security/f:PE/text()"),
		},
		undo: dropped("orders_side", "orders_symbol", "orders_day", "customers_last_name", "customers_nationality",
			"customers_birth", "securities_name", "securities_type", "securities_pe"),
	},
}

// lz4WhereThere is what the schema does.
const lz4WhereThere = `DO $$ BEGIN
	ALTER TABLE brokerage.orders ALTER COLUMN doc SET COMPRESSION lz4;
	ALTER TABLE brokerage.customers ALTER COLUMN doc SET COMPRESSION lz4;
	ALTER TABLE brokerage.securities ALTER COLUMN doc SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
	NULL; -- they have pglz
END $$`

// eachTable returns a change of each table of documents.
func eachTable(change string) (statements []string) {
	for _, table := range []string{"orders", "customers", "securities"} {
		statements = append(statements, "ALTER TABLE brokerage."+table+" "+change)
	}
	return statements
}

// xmlIndex returns an index on the first value of a path in the documents of a table.
func xmlIndex(table, name, namespace, path string) string {
	return "CREATE INDEX IF NOT EXISTS more_" + table + "_" + name + " ON brokerage." + table +
		" (((xpath('" + path + "', doc, ARRAY[ARRAY['f', '" + namespace + "']]))[1]::text))"
}

func orderIndex(name, path string) string {
	return xmlIndex("orders", name, "http://www.fixprotocol.org/FIXML-4-4", path)
}

func customerIndex(name, path string) string {
	return xmlIndex("customers", name, "http://tpox-benchmark.com/custacc", path)
}

func securityIndex(name, path string) string {
	return xmlIndex("securities", name, "http://tpox-benchmark.com/security", path)
}

// dropped returns the statements that drop the indexes of xmlIndex.
func dropped(names ...string) (statements []string) {
	for _, name := range names {
		statements = append(statements, "DROP INDEX IF EXISTS brokerage.more_"+name)
	}
	return statements
}

// withParameters returns the URL of a database with more parameters.
func withParameters(url, parameters string) string {
	switch {
	case parameters == "":
		return url
	case strings.Contains(url, "?"):
		return url + "&" + parameters
	default:
		return url + "?" + parameters
	}
}
