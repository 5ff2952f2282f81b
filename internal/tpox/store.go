package tpox

import (
	"context"
	"encoding/hex"
	"slices"
	"time"
)

// Write holds the arguments that every write has in addition to its own.
type Write struct {
	Now  time.Time // the service's clock
	Once *Once     // nil: no idempotency key
	// Token is where a store with replicas puts the token of the write when it is done. Nil: none is wanted.
	Token *Token
}

// Once is an idempotency key. The store keeps it with the answer, in the same transaction as the write. Until Expires,
// the same key returns the first answer and changes nothing; with another Hash it is refused as *KeyReused, and while
// the first request is still running as a *Conflict for KeyInUse. Refusals are not kept.
type Once struct {
	Client, Key string
	Hash        [32]byte // of method, path and body
	Expires     time.Time
}

// Match is a condition on the version of a document: its ETag must be in the list. Nil is no condition.
type Match []string

// Holds reports whether doc fulfills the condition.
func (m Match) Holds(doc []byte) bool { return m == nil || slices.Contains(m, ETag(doc)) }

// A Token names a state of the database that contains a certain write. Only the store that made a token can interpret
// it; the zero Token names no state.
type Token [16]byte

// String returns the form of a token that clients see: 32 lower-case hexadecimal digits.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// ParseToken parses what String returns.
func ParseToken(s string) (t Token, ok bool) {
	if len(s) != hex.EncodedLen(len(t)) {
		return t, false
	}
	if _, err := hex.Decode(t[:], []byte(s)); err != nil || t.String() != s { // upper case is another text
		return Token{}, false
	}
	return t, true
}

// Freshness says how old the answer of a read may be, so that a store with replicas may answer from one of them. If
// both conditions are set, both must hold. Without a condition, the answer is from the primary.
type Freshness struct {
	After  Token         // the answer contains the write that the token is from; zero for no such condition
	Within time.Duration // the answer contains every write acknowledged longer ago; 0 for no such condition
}

type freshnessKey struct{}

// WithFreshness returns a context for reads whose answers may be from a replica. Writes ignore it, and so do stores
// without replicas, whose answers fulfil every condition.
func WithFreshness(ctx context.Context, f Freshness) context.Context {
	return context.WithValue(ctx, freshnessKey{}, f)
}

// FreshnessOf returns what WithFreshness has set, or the zero Freshness.
func FreshnessOf(ctx context.Context) Freshness {
	f, _ := ctx.Value(freshnessKey{}).(Freshness)
	return f
}

// Orders are the transactions on orders. Documents are in the normal form, with the same ETag from every store; but see
// EngineInfo.StripsSpace. A missing order is *NotFound. Of several elements where the schema allows one, the first
// counts.
type Orders interface {
	// GetOrder returns the Order element, complete in itself.
	GetOrder(ctx context.Context, id ID) ([]byte, error)
	// CustomerMaxOrder returns the order with the greatest cash over all accounts of a customer, the lowest id among
	// equals; the answer is empty for a customer without orders. The cash of an order is that of its first OrdQty; an
	// order without it does not count. A missing customer is *NotFound.
	CustomerMaxOrder(ctx context.Context, customer ID) ([]byte, error)
	// InsertOrder takes any well-formed order with an id and an account, which need not exist; an order without them is
	// *Invalid. An id that exists is a *Conflict.
	InsertOrder(ctx context.Context, w Write, doc []byte) (ID, error)
	// UpdateOrderStatus returns the OrderStatus. The whole order is validated, and is *Invalid if it would not be valid.
	UpdateOrderStatus(ctx context.Context, w Write, id ID, stat string) ([]byte, error)
	DeleteOrder(ctx context.Context, w Write, id ID) error
}

// Customers are the transactions on customers and their accounts. A missing customer or account is *NotFound. A
// validated document that is not valid by its schema is *Invalid, and so is, validated or not, a document without
// proper ids.
type Customers interface {
	// GetCustomer returns the whole document.
	GetCustomer(ctx context.Context, id ID) ([]byte, error)
	CustomerProfile(ctx context.Context, id ID) ([]byte, error)
	AccountSummary(ctx context.Context, id ID) ([]byte, error)
	// GetAccount returns the account with its owner.
	GetAccount(ctx context.Context, account ID) (Account, error)
	// InsertCustomer refuses a customer or account id that exists as a *Conflict, which names the first such account.
	InsertCustomer(ctx context.Context, w Write, doc []byte, validate bool) (ID, error)
	// ReplaceCustomer replaces a customer by doc, which must have the same id. It opens and closes accounts as doc says;
	// an account of another customer is a *Conflict. A stored document that match does not allow is *Stale.
	ReplaceCustomer(ctx context.Context, w Write, id ID, doc []byte, validate bool, match Match) error
	// DeleteCustomer deletes a customer with all accounts, and keeps the orders.
	DeleteCustomer(ctx context.Context, w Write, id ID) error
	// OpenAccount adds an account to a customer, which is validated as a whole. An id that exists is a *Conflict.
	OpenAccount(ctx context.Context, w Write, customer ID, account []byte) (ID, error)
	// CloseAccount refuses to close a customer's last account as a *Conflict.
	CloseAccount(ctx context.Context, w Write, customer, account ID) error
	// Trade buys or sells, and returns the Trade_Confirmation. A missing security is *NotFound too, after a missing
	// account; what Trade.Apply refuses is *Invalid or a *Conflict.
	Trade(ctx context.Context, w Write, account ID, t Trade) ([]byte, error)
}

// Securities are the transactions on securities. A missing security is *NotFound; a search may find nothing.
type Securities interface {
	GetSecurity(ctx context.Context, symbol string) ([]byte, error)
	SecurityPrice(ctx context.Context, symbol string) ([]byte, error)
	// SearchSecurities returns the matching securities in order of symbols by code point: of each the text of six
	// elements, empty where the security lacks one. A Limit and After restrict the answer to a part of them.
	SearchSecurities(ctx context.Context, s Search) ([]byte, error)
	// UpdateSecurityPrice returns the new Security_Price. What Price.Validate refuses is *Invalid.
	UpdateSecurityPrice(ctx context.Context, w Write, symbol string, p Price) ([]byte, error)
	// ReplaceSecurity replaces a security by doc, which must have the same symbol. A document without proper keys, or a
	// validated one that is not valid by its schema, is *Invalid. A stored document that match does not allow is *Stale.
	ReplaceSecurity(ctx context.Context, w Write, symbol string, doc []byte, validate bool, match Match) error
}

// Range is a lease of ids that no other client gets: [First, First+Count).
type Range struct {
	First ID
	Count int64
}

// MaxLease is the greatest number of ids in a lease.
const MaxLease = 10_000_000

// LastLease returns the greatest id with which a lease of count ids may begin: its last id has 15 digits.
func LastLease(count int64) int64 { return endOfIDs - count }

// IDsLeft returns how many ids are left when the next lease begins with an id.
func IDsLeft(next int64) int64 { return max(0, endOfIDs-next) }

// IDKinds are the kinds of ids that are leased.
var IDKinds = [...]string{"order", "customer", "account"}

// CheckLease checks the arguments of Store.Lease. The error is *Invalid or *NotFound.
func CheckLease(kind string, count int64) error {
	if count < 1 || count > MaxLease {
		return invalidf("count", "is not from 1 to %d", MaxLease)
	}
	if !slices.Contains(IDKinds[:], kind) {
		return &NotFound{"kind of leases", kind}
	}
	return nil
}

// Contents describes the dataset that was loaded into a store.
type Contents struct {
	Fingerprint                   string // empty if nothing was loaded
	Scale, Profile                string
	Seed                          uint64
	Securities, Customers, Orders int64 // as generated
}

// EngineInfo describes the database that a store runs on, in the database's own words.
type EngineInfo struct {
	Name, Version string
	// Identity is random and made with the database's schema: a database keeps it, also when it is restored from a backup.
	// It is empty for a store that keeps nothing.
	Identity   string
	Durability string    // of an acknowledged write: results of different durability are not compared
	Settings   []Setting // that measurements depend on
	// StripsSpace reports that documents which the store validates are stored without their ignorable white space: that
	// between elements, where the schema allows no text.
	StripsSpace bool
	// Faithful says of each transaction, by its name, where the work on XML is done. It is not to be changed.
	Faithful map[string]Fidelity
}

// Setting is a setting of an engine.
type Setting struct{ Name, Value string }

// Values of EngineInfo.Durability.
const (
	Durable    = "each write is flushed before it is acknowledged"
	NotDurable = "a power failure may take back what was acknowledged"
	Forgetful  = "nothing is kept"
)

// Store is the database of a brokerage. Each method is one ACID transaction; a write is durable, even after a loss of
// power, before it returns nil. Methods are safe for concurrent use, and two concurrent trades on one account both
// count. The bytes that a method returns may be shared, and must not be changed.
//
// A method returns only the errors that its comment names, those of an idempotency key if it takes a Write, and always
// possibly *Unavailable, *Damaged and those of the context. Any other is a fault of the store.
type Store interface {
	Orders
	Customers
	Securities

	// Describe returns the description of the engine, made when the store was opened.
	Describe() EngineInfo
	// Contents describes the dataset that was loaded.
	Contents(ctx context.Context) (Contents, error)
	// Lease durably reserves ids for new documents of one of IDKinds; another kind is *NotFound.
	// A count that is not from 1 to MaxLease is *Invalid, and one for which too few ids are left a *Conflict.
	Lease(ctx context.Context, kind string, count int64) (Range, error)
	// Ready reports whether the store can answer.
	Ready(ctx context.Context) error
	Close() error
}
