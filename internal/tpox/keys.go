package tpox

import (
	"strconv"
	"strings"

	"brokerage/internal/xmldoc"
)

// ID is the number of a customer, an account or an order: 1 to 15 digits without a leading zero, which a float64 holds
// exactly.
type ID int64

const (
	maxIDDigits = 15
	endOfIDs    = 1_000_000_000_000_000 // the first number that is too long
)

// ParseID reads an id. ok is false for anything but 1 to 15 digits without a leading zero.
func ParseID[S string | []byte](s S) (id ID, ok bool) {
	if len(s) == 0 || len(s) > maxIDDigits || s[0] == '0' {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		id = 10*id + ID(s[i]-'0')
	}
	return id, true
}

func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// CustomerKeys are the keys of a customer in a store.
type CustomerKeys struct {
	ID       ID
	Accounts []ID
}

var (
	customerRoot = path("c:Customer")
	accounts     = path("c:Customer/c:Accounts/c:Account")

	positions     = path("c:Position") // below an account's Holdings
	positionParts = paths("c:Symbol", "c:Name", "c:Quantity")
)

// CustomerKeysOf reads the keys of a customer, or returns *Invalid for a document without proper ones.
func CustomerKeysOf(doc []byte) (keys CustomerKeys, err error) {
	customer := customerRoot.Find(xmldoc.Document(doc))
	if !customer.Exists() {
		return keys, invalidf("", "the root element is not Customer in namespace %s", CustAccNS)
	}
	invalid := &Invalid{}
	var ok bool
	if keys.ID, ok = ParseID(customer.Attr("id").Text()); !ok {
		invalid.add("/Customer/@id", notAnID)
	}
	seen := make(map[ID]bool, 4) // a client may send tens of thousands of accounts
	for account := range accounts.All(xmldoc.Document(doc)) {
		switch id, ok := ParseID(account.Attr("id").Text()); {
		case !ok:
			invalid.add("/Customer/Accounts/Account/@id", notAnID)
		case seen[id]:
			invalid.add("/Customer/Accounts/Account/@id", "account %d appears twice", id)
		default:
			seen[id] = true
			keys.Accounts = append(keys.Accounts, id)
		}
	}
	return keys, invalid.orNil()
}

// CustomerToReplace reads the keys of a customer, which must have the given id, and validates it if validate is set.
func CustomerToReplace(id ID, doc []byte, validate bool) (CustomerKeys, error) {
	keys, err := CustomerKeysOf(doc)
	if err == nil && keys.ID != id {
		err = invalidf("/Customer/@id", "must be %s, as in the path", id)
	}
	if err == nil && validate {
		err = ValidateCustomer(doc)
	}
	return keys, err
}

// findAccount returns the account with the given id in a customer, and the number of the customer's accounts.
func findAccount(doc []byte, id ID) (account xmldoc.Node, count int) {
	key := id.String()
	for n := range accounts.All(xmldoc.Document(doc)) {
		count++
		if !account.Exists() && n.Attr("id").Is(key) {
			account = n
		}
	}
	return account, count
}

// OrderKeys are the keys of an order in a store. An order need not be valid: Cash is nil if its first OrdQty has no
// Cash that SortKey takes.
type OrderKeys struct {
	ID, Account ID
	Cash        []byte // a SortKey
	CashText    string // as the order has it
}

var (
	orderElement = path("f:FIXML/f:Order")
	orderParts   = paths("@ID", "@Acct", "f:OrdQty[1]/@Cash") // of the first Order
)

// OrderKeysOf returns the keys of an order, or *Invalid if the document is no FIXML order or its id or account is
// missing or malformed.
func OrderKeysOf(doc []byte) (keys OrderKeys, err error) {
	order := orderElement.Find(xmldoc.Document(doc))
	if !order.Exists() {
		return keys, invalidf("", "the root element is not FIXML with an Order, in namespace %s", FIXMLNS)
	}
	var part [3]xmldoc.Node
	orderParts.Find(order, part[:])
	invalid := &Invalid{}
	var ok bool
	if keys.ID, ok = ParseID(part[0].Text()); !ok {
		invalid.add("/FIXML/Order/@ID", notAnID)
	}
	if keys.Account, ok = ParseID(part[1].Text()); !ok {
		invalid.add("/FIXML/Order/@Acct", notAnID)
	}
	keys.CashText = text(part[2])
	keys.Cash, _ = SortKey(keys.CashText)
	return keys, invalid.orNil()
}

// SecurityKeys are the keys of a security in a store, and the texts that a search returns of it, as the document has
// them.
type SecurityKeys struct {
	Symbol, Name, Type, Sector string
	PE, Yield                  string
}

var (
	securityRoot = path("s:Security")
	keyParts     = paths("s:Security/s:Symbol", "s:Security/s:Name", "s:Security/s:SecurityType",
		"s:Security/s:SecurityInformation/*/s:Sector", "s:Security/s:PE", "s:Security/s:Yield")
	allPEs, allYields = path("s:Security/s:PE"), path("s:Security/s:Yield")
)

// maxSectorBytes limits the length of a sector: an entry of an index of PostgreSQL has less than 2,700 bytes, and the
// parameter of the search in Db2 has at most 1,000.
const maxSectorBytes = 1000

// SecurityKeysOf reads the keys of a security, or returns *Invalid for a document without proper ones. Sector is empty
// for a security without one. Of several PE or Yield the first counts, and all must be numbers: an index of a database
// holds every one, and a comparison with a text that is no number would fail.
func SecurityKeysOf(doc []byte) (keys SecurityKeys, err error) {
	if !securityRoot.Find(xmldoc.Document(doc)).Exists() {
		return keys, invalidf("", "the root element is not Security in namespace %s", SecurityNS)
	}
	var part [6]xmldoc.Node
	keyParts.Find(xmldoc.Document(doc), part[:])
	keys = SecurityKeys{text(part[0]), text(part[1]), text(part[2]), text(part[3]), text(part[4]), text(part[5])}
	invalid := &Invalid{}
	if !IsSymbol(keys.Symbol) {
		invalid.add("/Security/Symbol", "not a symbol: 1 to 7 characters without white space")
	}
	if len(keys.Sector) > maxSectorBytes {
		invalid.add("/Security/SecurityInformation/*/Sector", "longer than %d bytes", maxSectorBytes)
	}
	checkFigures := func(where, first string, all *xmldoc.Path) {
		_, ok := Scaled(first)
		for n := range all.All(xmldoc.Document(doc)) {
			_, is := Scaled(text(n))
			ok = ok && is
		}
		if !ok {
			invalid.add(where, "not "+ScaledForm)
		}
	}
	checkFigures("/Security/PE", keys.PE, allPEs)
	checkFigures("/Security/Yield", keys.Yield, allYields)
	return keys, invalid.orNil()
}

// IsSymbol reports whether s has the form of a ticker symbol.
func IsSymbol(s string) bool {
	return len(s) >= 1 && len(s) <= 4*7 && len([]rune(s)) <= 7 && !strings.ContainsAny(s, " \t\r\n")
}

// SecurityToReplace reads the keys of a security, which must have the given symbol, and validates the security if
// validate is set.
func SecurityToReplace(symbol string, doc []byte, validate bool) (SecurityKeys, error) {
	keys, err := SecurityKeysOf(doc)
	if err == nil && keys.Symbol != symbol {
		err = invalidf("/Security/Symbol", "must be %s, as in the path", symbol)
	}
	if err == nil && validate {
		err = ValidateSecurity(doc)
	}
	return keys, err
}
