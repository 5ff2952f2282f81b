package chaostest

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"brokerage/internal/dataset"
	"brokerage/internal/tpox"
)

// trader buys and sells for one account, and places orders.
type trader struct {
	load    *Load
	number  int
	client  *http.Client
	token   string
	shared  bool // whether others use the account too
	account int64
	owner   int64 // the customer
	symbol  string
	random  *rand.Rand

	position, balance decimal.Decimal // expected, from the acknowledged trades
	orders            []int64         // acknowledged
	nextOrder         int64
	sequence          int
	answered          atomic.Int64 // when the last answered request began, in Unix nanoseconds
}

// confirmation is the answer to a trade.
type confirmation struct {
	Amount, Position, OnlineActualBal decimal.Decimal
}

// holding reads the position and the balance of the account.
func (t *trader) holding(ctx context.Context) (position, balance decimal.Decimal, err error) {
	body, err := t.retry(ctx, http.MethodGet, fmt.Sprintf("/v1/customers/%d/statement", t.owner), "", "")
	if err != nil {
		return position, balance, err
	}
	var statement struct {
		Accounts []struct {
			ID        int64           `xml:"ACCOUNT_ID,attr"`
			Balance   decimal.Decimal `xml:"BALANCE,attr"`
			Positions []struct {
				Symbol   string
				Quantity decimal.Decimal
			} `xml:"Securities>Position"`
		} `xml:"Customer_Securities>Account"`
	}
	if err := xml.Unmarshal(body, &statement); err != nil {
		return position, balance, err
	}
	for _, account := range statement.Accounts {
		if account.ID != t.account {
			continue
		}
		for _, p := range account.Positions {
			if p.Symbol == t.symbol {
				return p.Quantity, account.Balance, nil
			}
		}
	}
	return position, balance, fmt.Errorf("account %d holds no %s", t.account, t.symbol)
}

// post sends a write until it is answered, under one idempotency key.
func (t *trader) post(ctx context.Context, path, body string) ([]byte, error) {
	t.sequence++
	return t.retry(ctx, http.MethodPost, path, body, fmt.Sprintf("%s-%d-%d", t.load.name, t.number, t.sequence))
}

// retry sends a request until it is answered, each time to the next instance.
func (t *trader) retry(ctx context.Context, method, path, body, key string) ([]byte, error) {
	began := time.Now()
	for try := 0; ; try++ {
		urls := *t.load.urls.Load()
		r, err := http.NewRequestWithContext(ctx, method, urls[(t.number+try)%len(urls)]+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		if key != "" {
			r.Header.Set("Content-Type", "application/xml")
			r.Header.Set("Idempotency-Key", key)
			r.GetBody = nil // net/http would otherwise send it again, uncounted
			t.load.count(&t.load.tally.Tried)
		}
		status, answer, err := t.send(r)
		if status/100 == 2 && err == nil {
			t.answered.Store(began.UnixNano())
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := t.load.countFailure(status, answer, err); err != nil {
			return nil, err
		}
		time.Sleep(time.Duration(1+t.random.IntN(20+10*min(try, 10))) * time.Millisecond)
	}
}

func (t *trader) send(r *http.Request) (status int, body []byte, err error) {
	if t.token != "" {
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	response, err := t.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }() // only read
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// run trades until ctx is done or the load stops; a started request is finished.
func (t *trader) run(ctx context.Context) error {
	for !t.load.stopping.Load() {
		var err error
		if t.shared || t.random.IntN(4) == 0 {
			err = t.order(ctx)
		} else {
			err = t.trade(ctx)
		}
		if err != nil {
			return err
		}
		t.load.count(&t.load.tally.Acknowledged)
		time.Sleep(t.load.pause)
	}
	return nil
}

func (t *trader) trade(ctx context.Context) error {
	side, quantity := "buy", decimal.New(1+t.random.Int64N(9999), -3)
	if t.random.IntN(3) == 0 {
		side = "sell"
	}
	body := fmt.Sprintf(`<Trade xmlns=%q><Symbol>%s</Symbol><Quantity>%s</Quantity></Trade>`, tpox.CustAccNS,
		t.symbol, quantity)
	answer, err := t.post(ctx, fmt.Sprintf("/v1/accounts/%d/%s", t.account, side), body)
	if err != nil {
		return err
	}
	var c confirmation
	if err := xml.Unmarshal(answer, &c); err != nil {
		return fmt.Errorf("%w: %s", err, answer)
	}
	if side == "sell" {
		quantity, c.Amount = quantity.Neg(), c.Amount.Neg()
	}
	t.position, t.balance = t.position.Add(quantity), t.balance.Sub(c.Amount)
	switch off := c.Position.Sub(t.position); {
	case off.IsZero():
	case off.Equal(quantity): // it took effect twice
		t.load.count(&t.load.tally.Duplicated)
	default: // an earlier trade had no effect
		t.load.count(&t.load.tally.Lost)
	}
	if !c.Position.Equal(t.position) || !c.OnlineActualBal.Equal(t.balance) {
		t.load.complain("account %d: holds %s and %s, and not %s and %s", t.account, c.Position, c.OnlineActualBal,
			t.position, t.balance)
		t.position, t.balance = c.Position, c.OnlineActualBal
	}
	return nil
}

func (t *trader) order(ctx context.Context) error {
	id := t.nextOrder
	t.nextOrder++
	doc := t.load.generator.AppendNewOrder(nil, id, dataset.NewOrder{ID: id, Account: t.account, Symbol: t.symbol,
		Time: time.Now()})
	if _, err := t.post(ctx, "/v1/orders", string(doc)); err != nil {
		return err
	}
	t.orders = append(t.orders, id)
	return nil
}

// look reads the state of the account at the beginning.
func (t *trader) look(ctx context.Context) (err error) {
	if !t.shared {
		t.position, t.balance, err = t.holding(ctx)
	}
	return err
}

// check reads everything back, and counts the differences.
func (t *trader) check(ctx context.Context) error {
	position, balance := t.position, t.balance
	if err := t.look(ctx); err != nil {
		return err
	}
	if !t.position.Equal(position) || !t.balance.Equal(balance) {
		t.load.count(&t.load.tally.Lost)
		t.load.complain("account %d at the end: holds %s and %s, and not %s and %s", t.account, t.position, t.balance,
			position, balance)
	}
	for _, id := range t.orders {
		url := fmt.Sprintf("%s/v1/orders/%d", (*t.load.urls.Load())[0], id)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		status, body, err := t.send(r)
		switch {
		case err != nil:
			return err
		case status == http.StatusNotFound:
			t.load.count(&t.load.tally.Lost)
			t.load.complain("order %d was acknowledged and does not exist", id)
		case status != http.StatusOK:
			return fmt.Errorf("order %d: %d %s", id, status, body)
		}
	}
	return nil
}
