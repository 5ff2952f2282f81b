package workload

import (
	"context"
	"errors"
	"strconv"
	"time"

	"brokerage/internal/brokerage"
	"brokerage/internal/store"
	"brokerage/internal/store/guard"
	"brokerage/internal/telemetry"
)

// Direct is a store in this process.
type Direct struct {
	// Stats looks into the store, as a service's metrics do; nil where it has no
	// inside to look at.
	Stats func() telemetry.StoreStats

	store  brokerage.Store // guarded, as a service has it
	scheme string
	name   string
}

// answerWithin is how long a call may take: longer than a service waits for its
// store, so that what it says then is heard.
const answerWithin = 30 * time.Second

// NewDirect makes a backend of an open store, which stays the caller's to
// close; url is how it was opened.
func NewDirect(s brokerage.Store, url string) (*Direct, error) {
	database, err := store.Find(url)
	if err != nil {
		return nil, err
	}
	guarded := guard.New(s, guard.Options{Timeout: answerWithin})
	return &Direct{store: guarded, scheme: database.Scheme, name: store.Published(url)}, nil
}

func (d *Direct) stamp(context.Context) (Target, map[string]string, error) {
	is := d.store.Describe()
	settings := map[string]string{"durability": is.Durability, "version": is.Version}
	for _, setting := range is.Settings {
		settings[setting.Name] = setting.Value
	}
	return Target{Kind: "direct", Engine: is.Name, URL: d.name, SameHost: true}, settings, nil
}

func (d *Direct) population(ctx context.Context) (*population, error) {
	contents, err := d.store.Contents(ctx)
	if err != nil {
		return nil, err
	}
	return populationOf(contents)
}

func (d *Direct) permits(context.Context, *Definition) error { return nil }

func (d *Direct) lease(ctx context.Context, kind string, count int64) (brokerage.Range, error) {
	return d.store.Lease(ctx, kind, count)
}

func (d *Direct) open(_ context.Context, check checker, sectors []string) (session, error) {
	return &directSession{store: d.store, checker: check, sectors: sectors}, nil
}

func (d *Direct) reading(context.Context) (reading, error) {
	if d.Stats == nil {
		return reading{}, nil
	}
	stats := d.Stats()
	return reading{figures: map[string]float64{ // by the names that the service's metrics have
		"brokerage_store_connections_limit":             float64(stats.Connections),
		"brokerage_store_connections_open":              float64(stats.Open),
		"brokerage_store_connections_in_use":            float64(stats.InUse),
		"brokerage_store_connection_waits_total":        float64(stats.Waits),
		"brokerage_store_connection_wait_seconds_total": stats.Waited.Seconds(),
		"brokerage_store_commits_total":                 float64(stats.Commits),
		"brokerage_store_writes_waiting":                float64(stats.Writes),
		"brokerage_store_cache_hits_total":              float64(stats.Hits),
		"brokerage_store_cache_misses_total":            float64(stats.Misses),
		"brokerage_store_page_hits_total":               float64(stats.PageHits),
		"brokerage_store_page_misses_total":             float64(stats.PageMisses),
	}}, nil
}

// directSession calls the store as the service's handlers do.
type directSession struct {
	checker

	store   brokerage.Store
	sectors []string
	number  []byte
}

func (s *directSession) close() {}

// recoverFor is how long a backend may be away, for a restart or a new leader,
// before a run ends.
const recoverFor = 2 * time.Second

func (s *directSession) recover(ctx context.Context) error {
	return persist(ctx, func() error { return s.store.Ready(ctx) })
}

// persist tries until it succeeds, or the time is over.
func persist(ctx context.Context, try func() error) (err error) {
	for deadline := time.Now().Add(recoverFor); ; {
		if err = try(); err == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(recoverFor / 20):
		}
	}
}

func (s *directSession) do(ctx context.Context, c *call) outcome {
	answer, err := s.call(ctx, c)
	if err != nil {
		return s.refused(c, err)
	}
	if roots[c.transaction] == "" {
		return done
	}
	return s.check(c, answer)
}

func (s *directSession) call(ctx context.Context, c *call) (answer []byte, err error) {
	w := brokerage.Write{Now: time.Now()}
	switch c.transaction {
	case getOrder:
		return s.store.GetOrder(ctx, c.id)
	case getSecurity:
		return s.store.GetSecurity(ctx, c.symbol)
	case customerProfile:
		return s.store.CustomerProfile(ctx, c.id)
	case searchSecurities:
		q := c.search
		return s.store.SearchSecurities(ctx, brokerage.Search{Sector: s.sectors[q.sector], PEMin: q.peMin * one, PEMax: q.peMax * one, YieldMin: q.yieldMin * one})
	case accountSummary:
		return s.store.AccountSummary(ctx, c.id)
	case getSecurityPrice:
		return s.store.SecurityPrice(ctx, c.symbol)
	case customerMaxOrder:
		return s.store.CustomerMaxOrder(ctx, c.id)
	case closeAccount:
		return nil, s.store.CloseAccount(ctx, w, c.id, c.account)
	case openAccount:
		_, err = s.store.OpenAccount(ctx, w, c.id, c.doc)
	case updateSecurityPrice:
		s.number = appendCents(s.number[:0], c.price)
		return s.store.UpdateSecurityPrice(ctx, w, c.symbol, brokerage.Price{LastTrade: string(s.number)})
	case updateOrderStatus:
		return s.store.UpdateOrderStatus(ctx, w, c.id, c.status)
	case buySecurity, sellSecurity:
		side := brokerage.Buy
		if c.transaction == sellSecurity {
			side = brokerage.Sell
		}
		return s.store.Trade(ctx, w, c.id, brokerage.Trade{Side: side, Symbol: c.symbol, Quantity: strconv.FormatInt(c.quantity, 10), Now: w.Now})
	case insertOrder:
		_, err = s.store.InsertOrder(ctx, w, c.doc)
	case insertCustomer:
		_, err = s.store.InsertCustomer(ctx, w, c.doc, c.validate)
	case deleteOrder:
		return nil, s.store.DeleteOrder(ctx, w, c.id)
	case deleteCustomer:
		return nil, s.store.DeleteCustomer(ctx, w, c.id)
	case updCustacc:
		if answer, err = s.store.GetCustomer(ctx, c.id); err == nil {
			err = s.store.ReplaceCustomer(ctx, w, c.id, answer, c.validate, brokerage.Match{brokerage.ETag(answer)})
		}
	case updSecurity:
		if answer, err = s.store.GetSecurity(ctx, c.symbol); err == nil {
			err = s.store.ReplaceSecurity(ctx, w, c.symbol, answer, c.validate, brokerage.Match{brokerage.ETag(answer)})
		}
	}
	return answer, err
}

// one is 1 as a Search has it: in ten-thousandths.
const one = 10_000

// appendCents writes an amount with two places.
func appendCents(dst []byte, n int64) []byte {
	return twoDigits(append(strconv.AppendInt(dst, n/100, 10), '.'), int(n%100))
}

// refused says of an error what the service would say of it.
func (s *directSession) refused(c *call, err error) outcome {
	if refusal, ok := errors.AsType[*brokerage.Conflict](err); ok {
		return conflict(string(refusal.Reason))
	}
	// A store that gave up may still read the document.
	c.doc = nil
	switch {
	case is[*brokerage.Stale](err):
		return outcome{expected, reasonStale}
	case is[*brokerage.NotFound](err):
		return outcome{unexpected, reasonNotFound}
	case is[*brokerage.Invalid](err):
		return outcome{unexpected, "422 invalid"}
	case errors.Is(err, context.DeadlineExceeded):
		return outcome{unanswered, reasonTimeout}
	case errors.Is(err, context.Canceled):
		return outcome{unanswered, reasonNoAnswer}
	case is[*brokerage.Unavailable](err):
		return outcome{unanswered, "503 unavailable"}
	case is[*brokerage.Damaged](err):
		return outcome{unexpected, "500 damaged"}
	default:
		return outcome{unexpected, "500 internal"}
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
