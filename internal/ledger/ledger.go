// Package ledger records the changes of a run outside of the database, and finds out afterwards whether the database
// has kept them: acknowledged changes that are missing count as lost, those applied more than once as applied twice.
//
// A ledger is a file of JSON lines. A change has one line, which is on disk before the change is sent, and another with
// its fate when the call has ended. So even when the load generator is killed, the ledger has each change that the
// database may have. A change without a clear answer is unknown: it may be applied or not. The order of the lines is
// the order of events: a change that begins after the end of another one is later; otherwise the two may overlap.
//
// The conclusions hold even if several users change one document or account:
//
//   - A document is in the state of its last change: it exists or not, and has a status or a price. If it is in the
//     state of an earlier change, all acknowledged changes that began after the end of that change are lost.
//   - Trades are added up. Before the first trade with an account, its balance and positions are read and recorded.
//     Afterwards each position must be the recorded one with all acknowledged trades and any selection of the unknown
//     ones. If not, the shortest sequence of consecutive trades that explains it counts as lost, or else as applied
//     twice: a lost purchase and a sale applied twice leave the same position. The balance must agree exactly, unless
//     a trade of the account is unknown, lost or applied twice.
//
// A position that no such sequence explains counts as one lost trade. Nothing but the run may change the database until
// it is verified.
package ledger

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/shopspring/decimal"

	"brokerage/internal/output"
	"brokerage/internal/tpox"
)

// A Change is a call that changes something.
type Change struct {
	Do       string          `json:"do,omitempty"`      // the name of the transaction
	ID       tpox.ID         `json:"id,omitempty"`      // of the order or customer; of the account in a trade
	Account  tpox.ID         `json:"account,omitempty"` // that is opened or closed
	Symbol   string          `json:"symbol,omitempty"`
	Value    string          `json:"value,omitempty"`   // the new status or price
	Quantity decimal.Decimal `json:"quantity,omitzero"` // that a trade adds to the position, negative in a sale
}

// kinds maps the transactions that a ledger records to what they change.
var kinds = map[string]string{
	"insert_order": "order", "delete_order": "order", "update_order_status": "order",
	"insert_customer": "customer", "delete_customer": "customer",
	"open_account": "account", "close_account": "account",
	"update_security_price": "security",
	"buy_security":          "holding", "sell_security": "holding",
}

// Records reports whether a ledger records the changes of a transaction.
func Records(transaction string) bool { return kinds[transaction] != "" }

// IsTrade reports whether the change is a trade, for which Writer.Holds is called first.
func (c Change) IsTrade() bool { return kinds[c.Do] == "holding" }

// A Fate is what is known of a change.
type Fate string

// The fates of changes. Those without an answer, or with an unclear one such as 500, are Unknown.
const (
	Acknowledged Fate = "acknowledged"
	Refused      Fate = "refused" // and not applied
	Unknown      Fate = "unknown"
)

// holding is what an account holds.
type holding struct {
	Account   tpox.ID                    `json:"account"`
	Balance   decimal.Decimal            `json:"balance"`
	Positions map[string]decimal.Decimal `json:"positions"` // by symbol
}

// holdingOf parses the document of an account.
func holdingOf(id tpox.ID, doc []byte) (*holding, error) {
	h := &holding{Account: id, Positions: make(map[string]decimal.Decimal)}
	var account struct {
		Balance   *number `xml:"Balance>OnlineActualBal"`
		Positions []struct {
			Symbol   string
			Quantity *number
		} `xml:"Holdings>Position"`
	}
	if err := xml.Unmarshal(doc, &account); err != nil {
		return nil, fmt.Errorf("not an account: %w", err)
	}
	if account.Balance == nil {
		return nil, errors.New("not an account: it has no balance")
	}
	h.Balance = account.Balance.Decimal
	for _, p := range account.Positions {
		if p.Quantity == nil {
			return nil, fmt.Errorf("not an account: its position of %s has no quantity", p.Symbol)
		}
		if _, again := h.Positions[p.Symbol]; !again { // trades change the first one of a symbol
			h.Positions[p.Symbol] = p.Quantity.Decimal
		}
	}
	return h, nil
}

// Movement returns the change of the balance that a confirmation of a trade names.
func Movement(confirmation []byte) (decimal.Decimal, error) {
	var c struct {
		Side   tpox.Side
		Amount *number
	}
	if err := xml.Unmarshal(confirmation, &c); err != nil || c.Amount == nil {
		return decimal.Zero, errors.New("not a confirmation of a trade")
	}
	if c.Side == tpox.Buy {
		return c.Amount.Neg(), nil
	}
	return c.Amount.Decimal, nil
}

// number is a decimal in a document, with or without white space around it.
type number struct{ decimal.Decimal }

// UnmarshalText implements encoding.TextUnmarshaler, for encoding/xml.
func (n *number) UnmarshalText(text []byte) error {
	return n.Decimal.UnmarshalText(bytes.TrimSpace(text))
}

// version is the version of the file format.
const version = 2

// line is a line of a ledger: its head, what an account held, or the beginning or the end of a change.
type line struct {
	Ledger  int    `json:"ledger,omitempty"` // version
	Dataset string `json:"dataset,omitempty"`

	Holds *holding `json:"holds,omitempty"`

	*Change

	End      int64           `json:"end,omitempty"` // the line in which the change began
	Is       Fate            `json:"is,omitempty"`
	Movement decimal.Decimal `json:"movement,omitzero"` // of the balance, by a trade
}

// A Writer writes a ledger. It is safe for concurrent use.
type Writer struct {
	file     *os.File
	accounts sync.Map // *account by id

	mu      sync.Mutex
	encoder *json.Encoder
	lines   int64
	err     error // nothing is written after it

	flushing sync.Mutex
	flushed  int64 // lines
}

type account struct {
	sync.Mutex

	known bool // what it holds is in the ledger
}

// Create makes the file of a ledger, which must not exist.
func Create(file output.File) (*Writer, error) {
	f, err := file.Create()
	if err != nil {
		return nil, err
	}
	if err := output.SyncFolder(filepath.Dir(f.Name())); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return &Writer{file: f, encoder: json.NewEncoder(f)}, nil
}

// Start writes the beginning of the ledger, with the fingerprint of the dataset that the run is on.
func (w *Writer) Start(dataset string) error {
	_, err := w.write(line{Ledger: version, Dataset: dataset})
	return err
}

// Begin records that a change will be sent, and returns the number of its line once the line is on disk.
func (w *Writer) Begin(c Change) (at int64, err error) {
	if at, err = w.write(line{Change: &c}); err == nil {
		err = w.flush(at)
	}
	return at, err
}

// End records the fate of the change that begins in line at. movement is the balance movement of an acknowledged trade.
func (w *Writer) End(at int64, is Fate, movement decimal.Decimal) {
	_, _ = w.write(line{End: at, Is: is, Movement: movement}) // Close returns the error
}

// Holds records what an account holds before its first trade, from the document that read() returns. Concurrent calls
// for the same account wait until that is recorded.
func (w *Writer) Holds(id tpox.ID, read func() ([]byte, error)) error {
	found, _ := w.accounts.LoadOrStore(id, &account{})
	a := found.(*account) //nolint:forcetypeassert // nothing else is stored
	a.Lock()
	defer a.Unlock()
	if a.known {
		return nil
	}
	doc, err := read()
	if err != nil {
		return err
	}
	holds, err := holdingOf(id, doc)
	if err == nil {
		_, _ = w.write(line{Holds: holds}) // Begin returns the error
		a.known = true
	}
	return err
}

// write writes a line, and returns its number.
func (w *Writer) write(l line) (at int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines++
	if w.err == nil {
		w.err = w.encoder.Encode(l)
	}
	return w.lines, w.err
}

// flush returns when a line is on disk. Lines that are written during a flush share the next flush.
func (w *Writer) flush(at int64) error {
	w.flushing.Lock()
	defer w.flushing.Unlock()
	w.mu.Lock()
	written, err := w.lines, w.err
	w.mu.Unlock()
	if err != nil || w.flushed >= at {
		return err
	}
	if err = w.file.Sync(); err == nil {
		w.flushed = written
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err // a second flush may succeed, though lines are missing
	return err
}

// Close flushes and closes the file after the last line, and returns any earlier error too.
func (w *Writer) Close() error { return errors.Join(w.err, w.file.Sync(), w.file.Close()) }
