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
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"brokerage/internal/output"
	"brokerage/internal/result"
	"brokerage/internal/tpox"
)

// recorded is a change of a ledger, and what is known of it.
type recorded struct {
	Change

	fate         Fate
	began, ended int64 // lines
	movement     decimal.Decimal
}

// longestLine is longer than any line; the longest have the positions of an account (at most 128 KiB by default).
const longestLine = 1 << 20

// read reads the ledger of a run on a dataset. It returns the changes in the order in which they began, and what
// accounts held before them. A last line without a newline, which a killed load generator leaves, does not count.
func read(path, dataset string) (changes []*recorded, before map[tpox.ID]*holding, err error) {
	file, err := output.OpenInput(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // only read
	before = make(map[tpox.ID]*holding)
	open := make(map[int64]*recorded) // by the line in which the change begins
	lines := bufio.NewReaderSize(file, longestLine)
	for at := int64(1); ; at++ {
		text, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) && at > 1 {
			return changes, before, nil
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, nil, err
		}
		var l line
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		c := open[l.End]
		switch {
		case err != nil || (at == 1) != (l.Ledger == version):
			return nil, nil, fmt.Errorf("%s: line %d: this is not a ledger of brokerage drive, or one of another version",
				path, at)
		case at == 1 && l.Dataset != dataset:
			return nil, nil, fmt.Errorf("%s: the ledger is of a run on the dataset %s, but the database holds %s", path,
				l.Dataset, cmp.Or(dataset, "none"))
		case at == 1:
		case l.Holds != nil:
			before[l.Holds.Account] = l.Holds
		case l.Change != nil && Records(l.Do):
			c = &recorded{Change: *l.Change, fate: Unknown, began: at}
			changes, open[at] = append(changes, c), c
		case c != nil:
			c.fate, c.ended, c.movement = l.Is, at, l.Movement
			delete(open, l.End)
		default:
			return nil, nil, fmt.Errorf("%s: line %d is not valid in a ledger", path, at)
		}
	}
}

// subject returns the name of what a change affects: a document, or what an account holds.
func (c *Change) subject() string {
	switch kind := kinds[c.Do]; kind {
	case "account":
		return kind + " " + c.Account.String()
	case "security":
		return kind + " " + c.Symbol
	default:
		return kind + " " + c.ID.String()
	}
}

// Verify gives up when mostFailed subjects could not be verified.
const mostFailed = 10

// verifier compares a ledger with a database.
type verifier struct {
	store    tpox.Store
	before   map[tpox.ID]*holding
	proof    result.Proof
	findings []string
}

// Verify compares the ledger at path with the database, which nothing but the ledger's run may have changed. It returns
// a sentence for each thing that is wrong.
func Verify(ctx context.Context, s tpox.Store, path string) (proof result.Proof, findings []string, err error) {
	contents, err := s.Contents(ctx)
	if err != nil {
		return proof, nil, err
	}
	all, before, err := read(path, contents.Fingerprint)
	if err != nil {
		return proof, nil, err
	}
	v := &verifier{store: s, before: before, proof: result.Proof{Verified: true}}
	changes := make(map[string][]*recorded) // by subject
	deleted := make(map[tpox.ID]bool)       // customers whose deletion is acknowledged or unknown
	for _, c := range all {
		changes[c.subject()] = append(changes[c.subject()], c)
		switch c.fate {
		case Acknowledged:
			v.proof.Acknowledged++
		case Unknown:
			v.proof.Unknown++
		case Refused:
			continue
		}
		deleted[c.ID] = deleted[c.ID] || c.Do == "delete_customer"
	}
	var failed []error
	for _, subject := range slices.Sorted(maps.Keys(changes)) {
		first := changes[subject][0]
		if kinds[first.Do] == "account" && deleted[first.ID] {
			continue // the account may be gone with the customer, which is a subject of its own
		}
		if err := v.verify(ctx, subject, changes[subject]); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", subject, err))
			if ctx.Err() != nil || len(failed) == mostFailed {
				break
			}
		}
	}
	if len(failed) > 0 {
		err = failed[0]
		if more := len(failed) - 1; more > 0 {
			err = fmt.Errorf("%w (and %d more like this)", err, more)
		}
	}
	return v.proof, v.findings, err
}

// verify reads a subject from the database, and compares it with the changes.
func (v *verifier) verify(ctx context.Context, subject string, changes []*recorded) (err error) {
	var doc []byte
	kind, id := kinds[changes[0].Do], changes[0].ID
	switch kind {
	case "order":
		doc, err = v.store.GetOrder(ctx, id)
	case "customer":
		doc, err = v.store.CustomerProfile(ctx, id)
	case "security":
		doc, err = v.store.SecurityPrice(ctx, changes[0].Symbol)
	default:
		var account tpox.Account
		account, err = v.store.GetAccount(ctx, cmp.Or(changes[0].Account, id))
		doc = account.Document
	}
	found := err == nil
	var now struct {
		Status string `xml:"Stat,attr"` // of an order
		Price  string `xml:"LastTrade"` // of a security
	}
	switch {
	case found:
		err = xml.Unmarshal(doc, &now)
	case tpox.Is[*tpox.NotFound](err):
		err = nil
	}
	if err != nil {
		return err
	}
	if kind == "holding" {
		has := &holding{}
		if found {
			if has, err = holdingOf(id, doc); err != nil {
				return err
			}
		}
		return v.holding(id, has, changes)
	}
	value := cmp.Or(now.Status, strings.TrimSpace(now.Price))
	if price, err := decimal.NewFromString(value); err == nil && kind == "security" {
		value = price.String()
	}
	v.document(subject, found, value, changes)
	return nil
}

// lose counts n acknowledged changes as lost, and adds a finding.
func (v *verifier) lose(n int, form string, args ...any) {
	v.proof.Lost += int64(n)
	v.findings = append(v.findings, fmt.Sprintf(form, args...))
}

// removes reports whether the change removes its subject.
func (c *recorded) removes() bool {
	return strings.HasPrefix(c.Do, "delete_") || c.Do == "close_account"
}

// document checks that a document is in the state of its last change, or of one of several concurrent last changes. An
// acknowledged removal is lost if the document exists, since nothing brings it back.
func (v *verifier) document(subject string, found bool, value string, changes []*recorded) {
	isLost := func(c *recorded) bool { return found && c.fate == Acknowledged && c.removes() }
	if i := slices.IndexFunc(changes, isLost); i >= 0 {
		v.lose(1, "%s exists, though %s was acknowledged", subject, changes[i].Do)
		changes = slices.DeleteFunc(slices.Clone(changes), isLost)
	}
	// The ledger does not have the status of a new order: any status that no update has set may be the new order's.
	updated := slices.ContainsFunc(changes, func(c *recorded) bool { return c.fate != Refused && c.Value == value })
	last, explained, perhaps := int64(0), int64(-1), false
	for _, c := range changes {
		leaves := found != c.removes() && (c.Value == value || c.Value == "" && !updated)
		switch {
		case c.fate == Acknowledged:
			last = max(last, c.began)
			if leaves {
				explained = max(explained, c.ended)
			}
		case c.fate == Unknown && leaves:
			perhaps = true
		}
	}
	switch {
	case explained >= last:
		return
	case perhaps:
		v.proof.Applied++
		return
	case last == 0:
		return // nothing was acknowledged
	}
	lost, latest := 0, &recorded{}
	for _, c := range changes {
		if c.fate == Acknowledged && c.began > explained {
			lost, latest = lost+1, c
		}
	}
	state := "exists"
	switch {
	case !found:
		state = "does not exist"
	case value != "":
		state = "has the value " + value
	}
	v.lose(lost, "%s %s, though %s was acknowledged last (lost: %d)", subject, state,
		strings.TrimSpace(latest.Do+" "+latest.Value), lost)
}

// mostUnknown is how many unknown trades a position may have, because every selection of them is tried.
const mostUnknown = 16

// holding checks the positions and the balance of an account.
func (v *verifier) holding(id tpox.ID, has *holding, changes []*recorded) error {
	before := v.before[id]
	if before == nil {
		return errors.New("the ledger does not record what the account held before its trades")
	}
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
				acknowledged = append(acknowledged, c.Quantity)
				expected = expected.Add(c.Quantity)
			case Unknown:
				unknown = append(unknown, c.Quantity)
			case Refused:
			}
		}
		if len(unknown) > mostUnknown {
			return fmt.Errorf("%d trades with %s without an answer are too many to tell which were applied", len(unknown),
				symbol)
		}
		applied, lost, twice := explain(has.Positions[symbol].Sub(expected), acknowledged, unknown)
		v.proof.Applied += int64(applied)
		v.proof.Twice += int64(twice)
		if lost > 0 || twice > 0 {
			exact = false
			v.lose(lost, "account %s holds %s of %s, and not %s after %d acknowledged trades", id,
				has.Positions[symbol], symbol, expected, len(acknowledged))
		}
	}
	if exact && !has.Balance.Equal(balance) {
		v.lose(1, "account %s has the balance %s, and not %s after %d trades", id, has.Balance, balance, len(changes))
	}
	return nil
}

// explain returns the smallest explanation of the difference of a position from the expected one: as few unknown trades
// as possible that were applied and, if these alone cannot explain it, the shortest sequence of acknowledged trades
// that were lost or, if no sequence of that length explains it as lost, applied twice.
func explain(off decimal.Decimal, acknowledged, unknown []decimal.Decimal) (applied, lost, twice int) {
	sums := map[string]int{"0": 0} // the size of the smallest selection of unknown trades, by its sum
	for _, d := range unknown {
		for sum, size := range maps.Clone(sums) {
			more := decimal.RequireFromString(sum).Add(d).String()
			if least, known := sums[more]; !known || size+1 < least {
				sums[more] = size + 1
			}
		}
	}
	if applied, ok := sums[off.String()]; ok {
		return applied, 0, 0
	}
	upTo := make([]decimal.Decimal, len(acknowledged)+1)
	for i, d := range acknowledged {
		upTo[i+1] = upTo[i].Add(d)
	}
	for length := 1; length <= len(acknowledged); length++ {
		for from := range len(upTo) - length {
			if applied, ok := sums[off.Add(upTo[from+length]).Sub(upTo[from]).String()]; ok {
				return applied, length, 0
			}
		}
		for from := range len(upTo) - length {
			if applied, ok := sums[off.Sub(upTo[from+length]).Add(upTo[from]).String()]; ok {
				return applied, 0, length
			}
		}
	}
	return 0, 1, 0 // counts as one lost trade
}
