package brokerage

import (
	"context"
	"slices"
	"time"
)

// Write is what every write carries beside its own arguments.
type Write struct {
	Now  time.Time // the service's clock
	Once *Once     // nil: without an idempotency key
}

// Once is an idempotency key: the store keeps it, with the answer, in the
// transaction of the write. The same key again, before Expires, gets the first
// answer and changes nothing; with another Hash it is refused as *KeyReused, and
// while the first request is still running as a *Conflict by KeyInUse. Refusals
// are not kept.
type Once struct {
	Client, Key string
	Hash        [32]byte // of method, path and body
	Expires     time.Time
}

// Match is a condition on the version of a document: that its ETag is one of
// these, from whatever store. Nil is no condition.
type Match []string

// Holds tells whether doc is a version that the condition allows.
func (m Match) Holds(doc []byte) bool {
	if m == nil {
		return true
	}
	return slices.Contains(m, ETag(doc))
}

// Orders are the transactions on orders. Documents go in and come out in the
// normal form, with the same ETag from every store; a missing order is *NotFound.
// Of several elements of a name, where one belongs, the first counts.
type Orders interface {
	// GetOrder gives the Order element, so that it stands on its own.
	GetOrder(ctx context.Context, id ID) ([]byte, error)
	// CustomerMaxOrder gives the order with the greatest cash over all accounts
	// of a customer, the lowest id among equals; without one, the answer is
	// empty. The cash of an order is that of its first OrdQty: if that has none,
	// the order has none. A missing customer is *NotFound.
	CustomerMaxOrder(ctx context.Context, customer ID) ([]byte, error)
	// InsertOrder takes any well-formed order with an id and an account, which
	// need not exist; without them it is *Invalid. An id that exists is a
	// *Conflict.
	InsertOrder(ctx context.Context, w Write, doc []byte) (ID, error)
	// UpdateOrderStatus gives the OrderStatus; the whole order is validated, and
	// *Invalid where it would not be by its schema.
	UpdateOrderStatus(ctx context.Context, w Write, id ID, stat string) ([]byte, error)
	DeleteOrder(ctx context.Context, w Write, id ID) error
}

// Customers are the transactions on customers and their accounts. A missing
// customer or account is *NotFound. What is validated is *Invalid where it is
// not as its schema wants, and so is, validated or not, a document without
// proper ids.
type Customers interface {
	// GetCustomer gives the whole document.
	GetCustomer(ctx context.Context, id ID) ([]byte, error)
	CustomerProfile(ctx context.Context, id ID) ([]byte, error)
	AccountSummary(ctx context.Context, id ID) ([]byte, error)
	// CustomerOf gives the customer that an account belongs to.
	CustomerOf(ctx context.Context, account ID) (ID, error)
	// InsertCustomer refuses a customer or account id that exists as a *Conflict,
	// which names the first account that does.
	InsertCustomer(ctx context.Context, w Write, doc []byte, validate bool) (ID, error)
	// ReplaceCustomer puts doc, whose id must be the same, in the place of a
	// customer; other accounts than before are opened and closed with it. One
	// that is another customer's is a *Conflict; where match does not allow what
	// is stored, it is *Stale.
	ReplaceCustomer(ctx context.Context, w Write, id ID, doc []byte, validate bool, match Match) error
	// DeleteCustomer removes a customer with all accounts. Orders stay.
	DeleteCustomer(ctx context.Context, w Write, id ID) error
	// OpenAccount adds an account to a customer, who is validated as a whole. An
	// id that exists is a *Conflict.
	OpenAccount(ctx context.Context, w Write, customer ID, account []byte) (ID, error)
	// CloseAccount refuses to close a customer's last account as a *Conflict.
	CloseAccount(ctx context.Context, w Write, customer, account ID) error
	// Trade buys or sells and gives the Trade_Confirmation. A missing security is
	// *NotFound as well; what Trade.Apply refuses is *Invalid or a *Conflict.
	Trade(ctx context.Context, w Write, account ID, t Trade) ([]byte, error)
}

// Securities are the transactions on securities. A missing one is *NotFound, but
// a search may find nothing.
type Securities interface {
	GetSecurity(ctx context.Context, symbol string) ([]byte, error)
	SecurityPrice(ctx context.Context, symbol string) ([]byte, error)
	// SearchSecurities gives what matches, in order of symbols by code point: of
	// each the text of six elements, empty where the security lacks one.
	SearchSecurities(ctx context.Context, s Search) ([]byte, error)
	// UpdateSecurityPrice gives the new Security_Price; what Price.Validate
	// refuses is *Invalid.
	UpdateSecurityPrice(ctx context.Context, w Write, symbol string, p Price) ([]byte, error)
	// ReplaceSecurity puts doc, whose symbol must be the same, in the place of
	// a security. A document without proper keys, or one that is validated and
	// not as its schema wants, is *Invalid; where match does not allow what is
	// stored, it is *Stale.
	ReplaceSecurity(ctx context.Context, w Write, symbol string, doc []byte, validate bool, match Match) error
}

// Range is ids that no other client ever gets: [First, First+Count).
type Range struct {
	First ID
	Count int64
}

// MaxLease is how many ids one lease can hold.
const MaxLease = 1_000_000_000

// CheckLease refuses what no lease can hold; the error is *Invalid.
func CheckLease(count int64) error {
	if count < 1 || count > MaxLease {
		return invalidf("count", "is not from 1 to %d", MaxLease)
	}
	return nil
}

// Contents is what a store holds.
type Contents struct {
	Fingerprint                   string // empty if nothing was loaded
	Scale, Profile                string
	Seed                          uint64
	Securities, Customers, Orders int64 // as generated
}

// Engine is what a store runs on, as it says itself.
type Engine struct {
	Name, Version string
	Durability    string    // what an acknowledgement is worth: results of different ones are not compared
	Settings      []Setting // what figures depend on
}

// Setting is a setting of an engine.
type Setting struct{ Name, Value string }

// The sentences of Engine.Durability.
const (
	Durable    = "each write is flushed before it is acknowledged"
	NotDurable = "a power failure may take back what was acknowledged"
	Forgetful  = "nothing is kept"
)

// Store is a brokerage's database. Every method is one ACID transaction;
// a write is durable, power loss included, before it returns nil. Methods are
// safe for concurrent use, and two trades on one account at once both count.
//
// The errors of a method are those that its comment names, those of an
// idempotency key where it takes a Write, and everywhere *Unavailable and the
// context's; package guard holds stores to it.
type Store interface {
	Orders
	Customers
	Securities

	// Describe says what the store runs on, as it was when it was opened.
	Describe() Engine
	// Contents says which dataset was loaded.
	Contents(ctx context.Context) (Contents, error)
	// Lease hands out ids for new documents of a kind ("order", "customer" or
	// "account"; another is *NotFound), durably. A count that is not from 1 to
	// 1,000,000,000 is *Invalid.
	Lease(ctx context.Context, kind string, count int64) (Range, error)
	// Ready tells whether the store can answer.
	Ready(ctx context.Context) error
	Close() error
}
