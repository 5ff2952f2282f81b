package chaostest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"brokerage/internal/dataset"
	"brokerage/internal/ledger"
	"brokerage/internal/tpox"
)

// trader buys and sells for one account, and places orders.
type trader struct {
	load    *Load
	number  int
	client  *http.Client
	account int64
	symbol  string
	random  *rand.Rand

	nextOrder int64
	sequence  int
	answered  atomic.Int64 // when the last answered request began, in Unix nanoseconds
}

// write sends a change until it is answered, under one idempotency key, and records it.
func (t *trader) write(ctx context.Context, c ledger.Change, path, body string) error {
	number, err := t.load.ledger.Begin(c)
	if err != nil {
		return err
	}
	t.sequence++
	key := fmt.Sprintf("%s-%d-%d", t.load.name, t.number, t.sequence)
	answer, err := t.retry(ctx, http.MethodPost, path, body, key)
	if err != nil {
		return err
	}
	var movement *decimal.Decimal
	if c.IsTrade() {
		amount, err := ledger.Movement(answer)
		if err != nil {
			return fmt.Errorf("%w: %s", err, answer)
		}
		movement = &amount
	}
	t.load.ledger.End(number, ledger.Acknowledged, movement)
	return nil
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
			t.load.tried.Add(1)
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
		if t.random.IntN(4) == 0 {
			err = t.order(ctx)
		} else {
			err = t.trade(ctx)
		}
		if err != nil {
			return err
		}
		t.load.acknowledged.Add(1)
		time.Sleep(t.load.pause)
	}
	return nil
}

func (t *trader) trade(ctx context.Context) error {
	side, quantity := "buy", decimal.New(1+t.random.Int64N(9999), -3).String()
	if t.random.IntN(3) == 0 {
		side = "sell"
	}
	account := fmt.Sprintf("/v1/accounts/%d", t.account)
	if err := t.load.ledger.Holds(tpox.ID(t.account), func() (ledger.Holding, error) {
		answer, err := t.retry(ctx, http.MethodGet, account, "", "")
		if err != nil {
			return ledger.Holding{}, err
		}
		return ledger.HoldingOf(answer)
	}); err != nil {
		return err
	}
	change := ledger.Change{Do: side + "_security", ID: tpox.ID(t.account), Symbol: t.symbol, Value: quantity}
	return t.write(ctx, change, account+"/"+side, fmt.Sprintf(
		`<Trade xmlns=%q><Symbol>%s</Symbol><Quantity>%s</Quantity></Trade>`, tpox.CustAccNS, t.symbol, quantity))
}

func (t *trader) order(ctx context.Context) error {
	id := t.nextOrder
	t.nextOrder++
	doc := t.load.generator.AppendNewOrder(nil, id, dataset.NewOrder{ID: id, Account: t.account, Symbol: t.symbol,
		Time: time.Now()})
	return t.write(ctx, ledger.Change{Do: "insert_order", ID: tpox.ID(id)}, "/v1/orders", string(doc))
}
