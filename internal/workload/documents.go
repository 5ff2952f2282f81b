package workload

import (
	"math/rand/v2"
	"strconv"
	"time"

	"brokerage/internal/dataset"
)

// templateCount is the number of different documents of each kind. With few, a database would fill with copies, which
// compress better than real data.
const templateCount = 1000

// documents are the templates of what is inserted. All users share them.
type documents struct {
	orders, customers, accounts []filling
	today                       string
}

// filling is a template whose gaps are numbers, so that filling it compares no names.
type filling struct {
	literals []string // one more than gaps
	gaps     []gap
}

type gap uint8

const (
	gapOrder gap = iota
	gapCustomer
	gapAccount // and gapAccount+1, gapAccount+2 for further ones
	_
	_
	gapSymbol
	gapDate
	gapTime
)

var gaps = map[string]gap{
	"order": gapOrder, "customer": gapCustomer,
	"account": gapAccount, "account2": gapAccount + 1, "account3": gapAccount + 2,
	"symbol": gapSymbol, "date": gapDate, "datetime": gapTime,
}

func newDocuments(p *population, d *Definition, now time.Time) (*documents, error) {
	docs := &documents{today: now.UTC().Format(time.DateOnly)}
	creates := d.has(func(t *transaction) bool { return t.created != nil })
	if !creates && d.Prepare == (Prepare{}) {
		return docs, nil
	}
	g, err := generator(p.Scale, p.Profile, p.Seed)
	if err != nil {
		return nil, err
	}
	fillings := func(kind string) (list []filling) {
		for _, t := range g.Templates(kind, templateCount) {
			list = append(list, newFilling(t))
		}
		return list
	}
	docs.orders, docs.customers, docs.accounts = fillings("order"), fillings("customer"), fillings("account")
	return docs, nil
}

func newFilling(t dataset.Template) (f filling) {
	for i, part := range t.Parts {
		if i%2 == 0 {
			f.literals = append(f.literals, part)
			continue
		}
		g, ok := gaps[part]
		if !ok {
			panic("workload: a template has a gap for " + part)
		}
		f.gaps = append(f.gaps, g)
	}
	return f
}

// values fill the gaps of one document.
type values struct {
	id      int64 // of the order or customer
	account int64 // the first; the others follow it
	symbol  string
}

// fill appends a document to dst.
func (docs *documents) fill(dst []byte, f *filling, v values, r *rand.Rand) []byte {
	seconds := r.IntN(24 * 60 * 60) // one time for the whole document
	for i, g := range f.gaps {
		dst = append(dst, f.literals[i]...)
		switch g {
		case gapOrder, gapCustomer:
			dst = strconv.AppendInt(dst, v.id, 10)
		case gapSymbol:
			dst = append(dst, v.symbol...)
		case gapDate:
			dst = append(dst, docs.today...)
		case gapTime:
			dst = append(append(dst, docs.today...), 'T')
			dst = twoDigits(dst, seconds/3600)
			dst = twoDigits(append(dst, ':'), seconds/60%60)
			dst = twoDigits(append(dst, ':'), seconds%60)
		default:
			dst = strconv.AppendInt(dst, v.account+int64(g-gapAccount), 10)
		}
	}
	return append(dst, f.literals[len(f.gaps)]...)
}

func twoDigits(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendCents appends an amount with two decimal places.
func appendCents(dst []byte, n int64) []byte {
	return twoDigits(append(strconv.AppendInt(dst, n/100, 10), '.'), int(n%100))
}
