package ledger

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// History is the content of a ledger.
type History struct {
	Dataset string // the fingerprint of the dataset that the run was on

	changes  []*recorded // as they began
	holdings map[tpox.ID]Holding
}

// recorded is a change of a ledger, and what is known of it.
type recorded struct {
	Change

	fate         Fate
	began, ended int             // lines; an unknown change does not end
	delta        decimal.Decimal // of the position, by a trade
	movement     decimal.Decimal // of the balance, by an acknowledged trade
}

// ReadFile reads a ledger.
func ReadFile(path string) (*History, error) {
	f, err := output.OpenInput(path)
	if err != nil {
		return nil, err
	}
	h, err := Read(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return h, errors.Join(err, f.Close())
}

// longestLine is longer than any line of a ledger; the longest say what a customer of 128 KiB holds.
const longestLine = 1 << 20

// Read reads a ledger. A last line without an end is what a kill of the load generator leaves, and does not count.
func Read(r io.Reader) (*History, error) {
	h := &History{holdings: make(map[tpox.ID]Holding)}
	open := make(map[int64]*recorded) // by number
	lines := bufio.NewReaderSize(r, longestLine)
	for at := 1; ; at++ {
		text, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) && at > 1 {
			return h, nil
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil || at == 1 && l.Ledger == 0 {
			return nil, fmt.Errorf("line %d: this is not a ledger of brokerage drive", at)
		}
		c := open[l.End]
		switch {
		case at == 1 && l.Ledger != version:
			return nil, fmt.Errorf("a ledger of version %d; this program reads version %d", l.Ledger, version)
		case at == 1:
			h.Dataset = l.Dataset
		case l.Holding != nil:
			h.holdings[l.Holds] = *l.Holding
		case l.Change != nil && Records(l.Do):
			c = &recorded{Change: *l.Change, fate: Unknown, began: at, ended: math.MaxInt}
			if c.delta, err = delta(c.Change); err != nil {
				return nil, fmt.Errorf("line %d: %w", at, err)
			}
			h.changes = append(h.changes, c)
			open[l.Begin] = c
		case c != nil:
			if c.fate = l.Is; c.fate != Unknown {
				c.ended = at
			}
			if l.Movement != nil {
				c.movement = *l.Movement
			}
			delete(open, l.End)
		default:
			return nil, fmt.Errorf("line %d is not one of a ledger", at)
		}
	}
}

// delta returns what a trade adds to the position.
func delta(c Change) (d decimal.Decimal, err error) {
	if !c.IsTrade() {
		return d, nil
	}
	if d, err = decimal.NewFromString(c.Value); c.Do == "sell_security" {
		d = d.Neg()
	}
	return d, err
}

// subject is what changes are of: a document, or the holdings of an account.
type subject struct {
	kind   string
	id     tpox.ID
	symbol string
}

func (s subject) String() string {
	if s.symbol != "" {
		return s.kind + " " + s.symbol
	}
	return s.kind + " " + s.id.String()
}

func (c *recorded) subject() subject {
	s := subject{kind: kinds[c.Do], id: c.ID, symbol: c.Symbol}
	switch s.kind {
	case "account":
		s.id = c.Account
	case "holding":
		s.symbol = ""
	}
	return s
}

// verifier compares a history with a database.
type verifier struct {
	store   tpox.Store
	history *History
	find    func(finding string) error
	proof   result.Proof
	failed  error // ends the verification
}

// Verify compares a history with the database, which nothing else has changed, and calls find with a sentence for each
// thing that is wrong.
func Verify(ctx context.Context, s tpox.Store, h *History, find func(string) error) (result.Proof, error) {
	v := &verifier{store: s, history: h, find: find, proof: result.Proof{Verified: true}}
	contents, err := s.Contents(ctx)
	if err != nil {
		return v.proof, err
	}
	if h.Dataset != contents.Fingerprint {
		return v.proof, fmt.Errorf("the ledger is of a run on the dataset %s, and the database holds %s", h.Dataset,
			cmp.Or(contents.Fingerprint, "none"))
	}
	of := make(map[subject][]*recorded)
	var subjects []subject
	deleted := make(map[tpox.ID]bool) // customers, perhaps
	for _, c := range h.changes {
		s := c.subject()
		if of[s] == nil {
			subjects = append(subjects, s)
		}
		of[s] = append(of[s], c)
		switch c.fate {
		case Acknowledged:
			v.proof.Acknowledged++
		case Unknown:
			v.proof.Unknown++
		case Refused:
		}
		deleted[c.ID] = deleted[c.ID] || c.Do == "delete_customer" && c.fate != Refused
	}
	for _, s := range subjects {
		if s.kind == "account" && deleted[of[s][0].ID] {
			continue // its accounts are gone with the customer, which has a check of its own
		}
		if err := v.subject(ctx, s, of[s]); err != nil {
			return v.proof, err
		}
	}
	return v.proof, nil
}

// subject reads what the database has of a subject, and compares it with the changes.
func (v *verifier) subject(ctx context.Context, s subject, changes []*recorded) error {
	var doc []byte
	var account tpox.Account
	var err error
	switch s.kind {
	case "order":
		doc, err = v.store.GetOrder(ctx, s.id)
	case "customer":
		doc, err = v.store.CustomerProfile(ctx, s.id)
	case "security":
		doc, err = v.store.SecurityPrice(ctx, s.symbol)
	default:
		account, err = v.store.GetAccount(ctx, s.id)
		doc = account.Document
	}
	found := err == nil
	if err != nil && !tpox.Is[*tpox.NotFound](err) {
		return fmt.Errorf("%s: %w", s, err)
	}
	if s.kind == "holding" {
		var holding Holding // without an account, its positions are gone
		if _, known := v.history.holdings[s.id]; !known {
			return fmt.Errorf("%s: the ledger does not say what it held before its trades", s)
		}
		if found {
			if holding, err = HoldingOf(doc); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		v.holding(s.id, holding, changes)
		return v.failed
	}
	var now struct {
		Status string `xml:"Stat,attr"` // of an order
		Price  string `xml:"LastTrade"` // of a security
	}
	if found {
		if err := xml.Unmarshal(doc, &now); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	v.document(s, cmp.Or(now.Status, canonical(now.Price)), found, changes)
	return v.failed
}

// canonical returns a number without trailing zeros, as a ledger has it.
func canonical(price string) string {
	if n, err := number(price); err == nil {
		return n.String()
	}
	return price
}

// lose counts acknowledged changes that are lost.
func (v *verifier) lose(n int, form string, args ...any) {
	v.proof.Lost += int64(n)
	v.say(form, args...)
}

func (v *verifier) say(form string, args ...any) {
	if v.failed == nil {
		v.failed = v.find(fmt.Sprintf(form, args...))
	}
}

// document checks whether a document exists, and has the value of the last change.
func (v *verifier) document(s subject, value string, found bool, changes []*recorded) {
	var values []*recorded
	var made, removed *recorded
	for _, c := range changes {
		switch c.Do {
		case "insert_order", "insert_customer", "open_account":
			made = c
		case "delete_order", "delete_customer", "close_account":
			if c.fate != Refused {
				removed = c
			}
		default:
			values = append(values, c)
		}
	}
	switch {
	case removed != nil && found && removed.fate == Acknowledged:
		v.lose(1, "%s: %s was acknowledged, and it still exists", s, removed.Do)
	case removed != nil && !found:
		if removed.fate == Unknown {
			v.proof.Applied++
		}
		return // with its values
	case made != nil && !found && made.fate == Acknowledged:
		v.lose(1, "%s: %s was acknowledged, and it does not exist", s, made.Do)
	case made != nil && found && made.fate == Unknown:
		v.proof.Applied++
	}
	v.last(s, value, found, values)
}

// last checks whether a value can be that of the last change.
func (v *verifier) last(s subject, value string, found bool, changes []*recorded) {
	latest := -1 // end of a change that may have left the value
	for _, c := range changes {
		if found && c.fate != Refused && c.Value == value {
			latest = max(latest, c.ended)
		}
	}
	lost, acknowledged := 0, false
	for _, c := range changes {
		if c.fate == Acknowledged && c.began > latest {
			lost++
		}
		acknowledged = acknowledged || c.fate == Acknowledged && c.Value == value && v.mayBeLast(c, changes)
	}
	switch {
	case lost > 0 && found:
		v.lose(lost, "%s: it has the value %s, and %d acknowledged changes are later", s, value, lost)
	case lost > 0:
		v.lose(lost, "%s: it does not exist, and %d changes of it were acknowledged", s, lost)
	case latest == math.MaxInt && !acknowledged:
		v.proof.Applied++
	}
}

// mayBeLast reports whether no acknowledged change began after the end of c.
func (*verifier) mayBeLast(c *recorded, changes []*recorded) bool {
	return !slices.ContainsFunc(changes, func(o *recorded) bool { return o.fate == Acknowledged && o.began > c.ended })
}

// holding checks the positions and the balance of an account.
func (v *verifier) holding(id tpox.ID, has Holding, changes []*recorded) {
	before := v.history.holdings[id]
	bySymbol := make(map[string][]*recorded)
	balance, exact := before.Balance, true
	for _, c := range changes {
		bySymbol[c.Symbol] = append(bySymbol[c.Symbol], c)
		balance = balance.Add(c.movement)
		exact = exact && c.fate != Unknown
	}
	for _, symbol := range slices.Sorted(maps.Keys(bySymbol)) {
		var acknowledged, unknown []decimal.Decimal
		expected := before.Positions[symbol]
		for _, c := range bySymbol[symbol] {
			switch c.fate {
			case Acknowledged:
				acknowledged = append(acknowledged, c.delta)
				expected = expected.Add(c.delta)
			case Unknown:
				unknown = append(unknown, c.delta)
			case Refused:
			}
		}
		if len(unknown) > mostUnknown {
			v.failed = fmt.Errorf("account %s: %d trades with %s without an answer are too many to tell which were applied", id,
				len(unknown), symbol)
			return
		}
		e := explain(has.Positions[symbol].Sub(expected), acknowledged, unknown)
		v.proof.Applied += int64(e.applied)
		v.proof.Twice += int64(e.twice)
		if e.twice > 0 || e.lost > 0 {
			exact = false
			v.lose(e.lost, "account %s: holds %s of %s, and not %s after %d acknowledged trades", id, has.Positions[symbol],
				symbol, expected, len(acknowledged))
		}
	}
	if exact && !has.Balance.Equal(balance) {
		v.lose(1, "account %s: its balance is %s, and not %s after %d trades", id, has.Balance, balance, len(changes))
	}
}

// mostUnknown is the largest number of trades with one position of which every selection is tried.
const mostUnknown = 16

// explanation is what a position that is not as expected can have come from.
type explanation struct{ applied, lost, twice int }

// explain returns the smallest explanation of a difference: as few unknown trades as possible, or with them the
// shortest row of acknowledged ones that are lost or, if that is not one, twice.
func explain(off decimal.Decimal, acknowledged, unknown []decimal.Decimal) explanation {
	sums := map[string]int{"0": 0} // of selections of the unknown trades, with the size of the smallest
	for _, d := range unknown {
		for sum, size := range maps.Clone(sums) {
			more := decimal.RequireFromString(sum).Add(d).String()
			if least, known := sums[more]; !known || size+1 < least {
				sums[more] = size + 1
			}
		}
	}
	if applied, ok := sums[off.String()]; ok {
		return explanation{applied: applied}
	}
	upTo := make([]decimal.Decimal, len(acknowledged)+1)
	for i, d := range acknowledged {
		upTo[i+1] = upTo[i].Add(d)
	}
	for length := 1; length <= len(acknowledged); length++ {
		var twice *explanation
		for from := range len(acknowledged) - length + 1 {
			row := upTo[from+length].Sub(upTo[from])
			if applied, ok := sums[off.Add(row).String()]; ok {
				return explanation{applied: applied, lost: length}
			}
			if applied, ok := sums[off.Sub(row).String()]; ok && twice == nil {
				twice = &explanation{applied: applied, twice: length}
			}
		}
		if twice != nil {
			return *twice
		}
	}
	return explanation{lost: 1} // at least
}
