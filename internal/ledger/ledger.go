// Package ledger records the changes of a run outside of the database, and finds out afterwards whether the database
// has kept them: acknowledged changes that are missing are lost, and those that count more than once are twice.
//
// A ledger is a file of JSON lines. A change has a line before it is sent, which is on disk by then, and another one
// when it was answered. So whatever is killed, the generator of the load included, the ledger has each change that the
// database may have; one without an answer is unknown, and may be applied or not. The order of the lines is the order
// of events: a change that begins after the end of another one is later, and others may overlap.
//
// What is concluded holds for several users of one document or account:
//
//   - Documents that are inserted, deleted, opened and closed have leased ids, which one user alone uses. They exist or
//     not.
//   - A status or a price is that of the last change. If it is that of an earlier one, all acknowledged changes that
//     began after the end of that one are lost.
//   - Trades are added up. Before the first trade with an account, its balance and positions are read and recorded.
//     Afterwards each position is what it was, with all acknowledged trades and any selection of the unknown ones. If
//     not, as few trades in a row as would explain it are lost, or else twice: a purchase that is lost and a sale that
//     is twice leave the same position. The balance must agree to the cent where no trade is unknown.
//
// So lost and twice are the least numbers that explain what the database has. Nothing but the run may change the
// database until it is verified.
package ledger

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"brokerage/internal/output"
	"brokerage/internal/tpox"
)

// A Change is a call that changes something.
type Change struct {
	Do      string  `json:"do,omitempty"`      // the name of the transaction
	ID      tpox.ID `json:"id,omitempty"`      // of the order or customer; of the account in a trade
	Account tpox.ID `json:"account,omitempty"` // that is opened or closed
	Symbol  string  `json:"symbol,omitempty"`
	Value   string  `json:"value,omitempty"` // status, price, or quantity of a trade
}

// kinds are the kinds of what transactions change.
var kinds = map[string]string{
	"insert_order": "order", "delete_order": "order", "update_order_status": "order",
	"insert_customer": "customer", "delete_customer": "customer",
	"open_account": "account", "close_account": "account",
	"update_security_price": "security",
	"buy_security":          "holding", "sell_security": "holding",
}

// Records reports whether a ledger has changes of a transaction.
func Records(transaction string) bool { return kinds[transaction] != "" }

// IsTrade reports whether the change is a trade, for which Writer.Holds is called first.
func (c Change) IsTrade() bool { return kinds[c.Do] == "holding" }

// A Fate is what is known of a change.
type Fate string

// The fates of changes. Those without an answer are Unknown.
const (
	Acknowledged Fate = "acknowledged"
	Refused      Fate = "refused" // and not applied
	Unknown      Fate = "unknown"
)

// A Holding is what an account holds.
type Holding struct {
	Balance   decimal.Decimal            `json:"balance"`
	Positions map[string]decimal.Decimal `json:"positions"` // by symbol
}

// HoldingOf reads an account, as get_account answers it.
func HoldingOf(account []byte) (Holding, error) {
	var a struct {
		Balance   string                              `xml:"Balance>OnlineActualBal"`
		Positions []struct{ Symbol, Quantity string } `xml:"Holdings>Position"`
	}
	h := Holding{Positions: make(map[string]decimal.Decimal)}
	if err := xml.Unmarshal(account, &a); err != nil {
		return h, fmt.Errorf("not an account: %w", err)
	}
	var err error
	if h.Balance, err = number(a.Balance); err != nil {
		return h, fmt.Errorf("the balance of an account: %w", err)
	}
	for _, p := range a.Positions {
		if _, again := h.Positions[p.Symbol]; again {
			continue // trades change the first one of a symbol
		}
		if h.Positions[p.Symbol], err = number(p.Quantity); err != nil {
			return h, fmt.Errorf("a position of an account: %w", err)
		}
	}
	return h, nil
}

// Movement returns the change of the balance that a confirmation of a trade names.
func Movement(confirmation []byte) (decimal.Decimal, error) {
	var c struct{ Side, Amount string }
	if err := xml.Unmarshal(confirmation, &c); err != nil {
		return decimal.Zero, fmt.Errorf("not a confirmation: %w", err)
	}
	amount, err := number(c.Amount)
	if err != nil {
		return decimal.Zero, fmt.Errorf("the amount of a confirmation: %w", err)
	}
	if c.Side == string(tpox.Buy) {
		amount = amount.Neg()
	}
	return amount, nil
}

func number(text string) (decimal.Decimal, error) {
	return decimal.NewFromString(strings.TrimSpace(text))
}

// version is the version of the form of a ledger.
const version = 1

// line is a line of a ledger: its beginning, what an account held, or the beginning or the end of a change.
type line struct {
	Ledger  int    `json:"ledger,omitempty"` // version
	Dataset string `json:"dataset,omitempty"`

	Holds tpox.ID `json:"holds,omitempty"` // an account
	*Holding

	Begin int64 `json:"begin,omitempty"` // the number of a change, from 1
	*Change

	End      int64            `json:"end,omitempty"`
	Is       Fate             `json:"is,omitempty"`
	Movement *decimal.Decimal `json:"movement,omitempty"` // of the balance, by a trade
}

// A Writer writes a ledger. It is safe for concurrent use. Lines are flushed in groups: those that come while a group
// is flushed are the next one.
type Writer struct {
	file  *os.File
	wake  chan struct{}
	ended chan struct{}

	mu       sync.Mutex
	changes  int64
	pending  []byte
	group    *group // of the pending lines
	accounts map[tpox.ID]*account
}

// A group of lines is flushed together.
type group struct {
	done chan struct{}
	err  error // after done
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
	w := &Writer{file: f, wake: make(chan struct{}, 1), ended: make(chan struct{}), accounts: make(map[tpox.ID]*account),
		group: &group{done: make(chan struct{})}}
	go w.flush()
	return w, nil
}

// Start writes the beginning of the ledger, with the fingerprint of the dataset that the run is on.
func (w *Writer) Start(dataset string) error {
	g := w.add(line{Ledger: version, Dataset: dataset})
	<-g.done
	return g.err
}

// Begin records that a change will be sent, and returns its number when that is on disk.
func (w *Writer) Begin(c Change) (number int64, err error) {
	w.mu.Lock()
	w.changes++
	number = w.changes
	w.mu.Unlock()
	g := w.add(line{Begin: number, Change: &c})
	<-g.done
	return number, g.err
}

// End records what became of a change. The movement is that of an acknowledged trade, or nil.
func (w *Writer) End(number int64, is Fate, movement *decimal.Decimal) {
	w.add(line{End: number, Is: is, Movement: movement})
}

// Holds records what an account holds before its first trade, as read returns it. Until then, other trades of the
// account wait.
func (w *Writer) Holds(id tpox.ID, read func() (Holding, error)) error {
	w.mu.Lock()
	a := w.accounts[id]
	if a == nil {
		a = &account{}
		w.accounts[id] = a
	}
	w.mu.Unlock()
	a.Lock()
	defer a.Unlock()
	if a.known {
		return nil
	}
	holding, err := read()
	if err == nil {
		w.add(line{Holds: id, Holding: &holding})
		a.known = true
	}
	return err
}

// add adds a line, and returns the group that it will be flushed with.
func (w *Writer) add(l line) *group {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // these types have a form
	}
	w.mu.Lock()
	w.pending = append(append(w.pending, text...), '\n')
	g := w.group
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default: // it wakes up for another line
	}
	return g
}

// flush writes the groups. After an error it writes nothing more.
func (w *Writer) flush() {
	defer close(w.ended)
	var spare []byte
	var err error
	for range w.wake {
		w.mu.Lock()
		text, g := w.pending, w.group
		w.pending, w.group = spare[:0], &group{done: make(chan struct{}), err: err}
		w.mu.Unlock()
		if err == nil && len(text) > 0 {
			if _, err = w.file.Write(text); err == nil {
				err = w.file.Sync()
			}
		}
		g.err, spare = err, text
		close(g.done)
	}
	w.group.err = err
}

// Close flushes what is left. It is called when nothing more is recorded, and returns the error of any flush.
func (w *Writer) Close() error {
	close(w.wake)
	<-w.ended
	return errors.Join(w.group.err, w.file.Close())
}
