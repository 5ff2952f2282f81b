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
	Within time.Duration // the answer contains every write acknowledged longer ago than this; 0 for no such condition
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

// Range is a lease of ids that no other client gets: [First, First+Count).
type Range struct {
	First ID
	Count int64
}

// MaxLease is the greatest number of ids in a lease.
const MaxLease = 10_000_000

// LastLease returns the greatest id with which a lease of count ids may begin: its last id has 15 digits.
func LastLease(count int64) int64 { return endOfIDs - count }

// IDsLeft returns how many ids are left from the id next on.
func IDsLeft(next int64) int64 { return max(0, endOfIDs-next) }

// IDKinds are the kinds of ids that are leased.
var IDKinds = [...]string{"order", "customer", "account"}

// CheckLease checks the arguments of Store.Lease. The error is *Invalid or *NotFound.
func CheckLease(kind string, count int64) error {
	if count < 1 || count > MaxLease {
		return invalidf("count", "must be from 1 to %d", MaxLease)
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
	Securities, Customers, Orders int64 // as loaded
}

// EngineInfo describes the database that a store runs on, in the database's own words.
type EngineInfo struct {
	Name, Version string
	// Identity is random and made with the database's schema: a database keeps it, also when it is restored from a backup.
	// It is empty for a store that keeps nothing.
	Identity   string
	Durability string    // of an acknowledged write: results of different durability are not compared
	Settings   []Setting // that measurements depend on
	// StripsSpace reports that documents which the store validates are stored without ignorable white space: white
	// space between elements where the schema allows no text.
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

// Fidelity says how a store runs a transaction, compared with what TPoX measures: a database that stores XML documents
// and works on them.
type Fidelity string

// Values of Fidelity, from the most faithful to the least. With any of them, an index on the id may find the document.
const (
	// InDatabase: the database parses, searches, changes or cuts the document.
	InDatabase Fidelity = "XML in the database"
	// FromColumns: the transaction uses values that were extracted when the document was written, in addition to its
	// id or instead of the document.
	FromColumns Fidelity = "keys extracted, answered from columns"
	// InService: the database stores bytes; the service parses the document, and extracts its keys or cuts the answer.
	InService Fidelity = "XML in the service"
	// EditedInService: the service reads the document, changes it and writes it back.
	EditedInService Fidelity = "edited in the service"
	// StoredReady: the answer was made when the document was written, and is stored beside it.
	StoredReady Fidelity = "answer stored ready"
	// NothingStored: there is no database.
	NothingStored Fidelity = "nothing stored, a fixed answer"
)

// Fidelities are the values of Fidelity in their order.
var Fidelities = [...]Fidelity{InDatabase, FromColumns, InService, EditedInService, StoredReady, NothingStored}

// FidelityBy returns what the given function returns for each transaction, by the transaction's name.
func FidelityBy(of func(*Transaction) Fidelity) map[string]Fidelity {
	all := make(map[string]Fidelity, len(Transactions))
	for i := range Transactions {
		all[Transactions[i].Name] = of(&Transactions[i])
	}
	return all
}

// Store is the database of a brokerage. Each method is one ACID transaction; before a write returns nil, it is as
// durable as EngineInfo.Durability promises. Methods are safe for concurrent use, and two concurrent trades on one
// account both count. The bytes that a method returns may be shared, and must not be changed.
//
// A method returns only the errors that its comment names, those of an idempotency key if it takes a Write,
// *Unavailable, *Damaged, and those of the context. Any other is a fault of the store.
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
	// Ready returns an error while the store cannot answer requests.
	Ready(ctx context.Context) error
	Close() error
}
