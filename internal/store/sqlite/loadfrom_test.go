package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store/bulk"
)

// tinySource returns the dataset tiny in batches of 300, whatever the kind.
func tinySource() bulk.Source {
	var docs [][]byte
	for _, k := range dataset.Kinds {
		docs = append(docs, documents(tiny, k)...)
	}
	s := source("source-of-"+tiny.Fingerprint(), 300, docs...)
	s.Contents = bulk.ContentsOf(tiny)
	return s
}

// documents returns all documents of a kind.
func documents(d *dataset.Dataset, k dataset.Kind) (docs [][]byte) {
	for i := range d.Count(k) {
		docs = append(docs, d.Append(nil, k, i))
	}
	return docs
}

// source returns documents in batches of a size. They have line numbers as if each took ten lines, and the files are
// numbered.
func source(name string, size int, docs ...[]byte) bulk.Source {
	return bulk.Source{
		Name:    name,
		Sample:  func(k dataset.Kind, n int) [][]byte { return sample(tiny, k, min(n, 100)) }, // more would only take longer
		Refused: func(file string, line int, err error) error { return fmt.Errorf("%s:%d: %w", file, line, err) },
		Batches: func(position string) iter.Seq2[bulk.RawBatch, error] {
			return func(yield func(bulk.RawBatch, error) bool) {
				from, _ := strconv.Atoi("0" + position)
				for ; from < len(docs); from += size {
					end := min(from+size, len(docs))
					b := bulk.RawBatch{File: fmt.Sprintf("file-%d", from/size), Position: strconv.Itoa(end)}
					for i, doc := range docs[from:end] {
						b.Documents = append(b.Documents, bulk.RawDocument{Bytes: doc, Line: 1 + 10*i})
						b.Bytes += int64(len(doc))
					}
					if !yield(b, nil) {
						return
					}
				}
			}
		},
	}
}

// recording records refusals instead of ending the load.
func recording(s bulk.Source, refusals *[]string) bulk.Source {
	s.Refused = func(file string, line int, err error) error {
		*refusals = append(*refusals, fmt.Sprintf("%s:%d: %v", file, line, err))
		return nil
	}
	return s
}

// changed returns a document with one text replaced by another.
func changed(t testing.TB, doc []byte, old, replacement string) []byte {
	t.Helper()
	require.Contains(t, string(doc), old)
	return bytes.Replace(doc, []byte(old), []byte(replacement), 1)
}

func TestLoadBatches_Refused(t *testing.T) {
	customer, other := tiny.Append(nil, dataset.Customer, 0), tiny.Append(nil, dataset.Customer, 1)
	account := fmt.Sprint(tiny.FirstAccount(0))
	order, security := tiny.Append(nil, dataset.Order, 0), tiny.Append(nil, dataset.Security, 0)
	// Its own account first, then one of another customer: neither may stay.
	thief := changed(t, changed(t, customer, `id="1002"`, `id="7"`), `id="`+account+`"`, `id="70"`)
	begin, end := bytes.Index(customer, []byte("<Account ")), bytes.Index(customer, []byte("</Account>"))
	thief = changed(t, thief, "</Accounts>", string(customer[begin:end])+"</Account></Accounts>")
	later := changed(t, order, `ID="103282"`, `ID="5"`)
	docs := []struct {
		doc  []byte
		says string // empty: taken
	}{
		{security, ""},
		{customer, ""},
		{order, ""},
		{order, "file-0:31: order 103282 exists already"}, // in the batch
		{[]byte("<Customer>"), "file-0:41: "},
		{[]byte("<a/>"), "file-1:1: element a of namespace"},
		{order, "file-1:11: order 103282 exists already"}, // in another file
		{customer, "file-1:21: customer 1002 exists already"},
		{security, "file-1:31: security " + tiny.Symbol(0) + " exists already"},
		{thief, "file-1:41: account " + account + " exists already"},
		{changed(t, order, `ID="103282"`, `X="103282"`), "file-2:1: /FIXML/Order/@ID"},
		{other, ""},
		{later, ""},
	}
	var all [][]byte
	var says []string
	for _, c := range docs {
		all = append(all, c.doc)
		if c.says != "" {
			says = append(says, c.says)
		}
	}
	var refusals []string
	s := empty(t)
	l, err := s.LoadBatches(t.Context(), recording(source("odd", 5, all...), &refusals), nil)
	require.NoError(t, err)
	require.Len(t, refusals, len(says), "%s", strings.Join(refusals, "\n"))
	for i := range says {
		require.True(t, strings.HasPrefix(refusals[i], says[i]), "%s\nis not\n%s", refusals[i], says[i])
	}
	require.Equal(t, bulk.Loaded{
		Source: "odd", Position: "13", Documents: [...]int64{1, 2, 2}, Refused: int64(len(says)), Done: true,
		Raw: [...]int64{int64(len(security)), int64(len(customer) + len(other)), int64(len(order) + len(later))},
	}, l)
	requireClean(t, s)
	_, err = s.CustomerOf(t.Context(), 70)
	require.ErrorAs(t, err, new(*brokerage.NotFound), "of a refused customer nothing is left")
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, brokerage.Contents{Fingerprint: "odd/1-2-2", Securities: 1, Customers: 2, Orders: 2}, contents)
	lease, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.Greater(t, int64(lease.First), int64(103282))
}

// An error of Refused ends the load before the batch, and the same load without that error continues there.
func TestLoadBatches_Strict(t *testing.T) {
	orders := documents(tiny, dataset.Order)
	security := tiny.Append(nil, dataset.Security, 0)
	from := source("strict", 2, security, orders[0], orders[1], []byte("<a"), orders[2])
	s := empty(t)
	strict := errors.New("strict")
	refusing := from
	refusing.Refused = func(string, int, error) error { return strict }
	l, err := s.LoadBatches(t.Context(), refusing, nil)
	require.ErrorIs(t, err, strict)
	require.Equal(t, [...]int64{1, 0, 1}, l.Documents)
	require.False(t, l.Done)
	requireNoOrder(t, s, int64(orderID(1))) // its batch was not taken
	require.Error(t, s.Ready(t.Context()))

	var refusals []string
	l, err = s.LoadBatches(t.Context(), recording(from, &refusals), nil)
	require.NoError(t, err)
	require.Equal(t, [...]int64{1, 0, 3}, l.Documents)
	require.Len(t, refusals, 1)
	require.True(t, strings.HasPrefix(refusals[0], "file-1:11: "), refusals[0])
	requireClean(t, s)
}

func TestLoadBatches_Continues(t *testing.T) {
	s := empty(t)
	var refusals []string
	from := recording(tinySource(), &refusals)
	total := 0
	for starts := 1; ; starts++ {
		ctx, cancel := context.WithCancel(t.Context())
		batches := 0
		l, err := s.LoadBatches(ctx, from, func(documents int, _ int64) {
			total += documents
			if batches++; batches == 3 {
				cancel()
			}
		})
		cancel()
		if err == nil {
			require.True(t, l.Done)
			require.Equal(t, 4, starts, "the third one got to the ninth and last batch, but not to the indexes")
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		after, err := s.LoadedFrom(t.Context())
		require.NoError(t, err)
		require.Equal(t, l, after, "what is returned is stored")
	}
	require.Empty(t, refusals, "nothing came twice")
	require.Equal(t, 2700, total)
	requireTiny(t, s)
}

func TestLoadBatches_AnotherSource(t *testing.T) {
	_, err := tinyStore(t).LoadBatches(t.Context(), source("other", 1), nil)
	require.EqualError(t, err, "the database holds "+tiny.Fingerprint()+" already")
	failing := source("other", 1)
	failing.Batches = func(string) iter.Seq2[bulk.RawBatch, error] {
		return func(yield func(bulk.RawBatch, error) bool) { yield(bulk.RawBatch{}, errors.New("cannot be read")) }
	}
	_, err = empty(t).LoadBatches(t.Context(), failing, nil)
	require.EqualError(t, err, "cannot be read")
}

// Of two documents the second is refused, and the first is stored in the normal form: every encoding that admission
// takes is taken, and documents are validated if the caller wants it.
func TestLoadBatches_OneRefused(t *testing.T) {
	order, customer := tiny.Append(nil, dataset.Order, 0), tiny.Append(nil, dataset.Customer, 0)
	encoded := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(`<?xml version="1.0" encoding="UTF-16"?>` + string(order))) {
		encoded = append(encoded, byte(unit), byte(unit>>8))
	}
	invalid := changed(t, tiny.Append(nil, dataset.Customer, 1), "<Name>", "<Nome></Nome><Name>")
	for name, c := range map[string]struct {
		good, bad []byte
		validate  bool
		documents [3]int64
	}{
		"UTF16":   {encoded, encoded[:len(encoded)-1], false, [3]int64{dataset.Order: 1}}, // half a character is none
		"Checked": {customer, invalid, true, [3]int64{dataset.Customer: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var refusals []string
			from := recording(source(name, 10, c.good, c.bad), &refusals)
			from.Validate = c.validate
			s := empty(t)
			l, err := s.LoadBatches(t.Context(), from, nil)
			require.NoError(t, err)
			require.Equal(t, c.documents, l.Documents)
			require.Len(t, refusals, 1)
			require.True(t, strings.HasPrefix(refusals[0], "file-0:11: "), refusals[0])
			if name == "UTF16" {
				got, err := s.GetOrder(t.Context(), orderID(0))
				require.NoError(t, err)
				require.Equal(t, string(brokerage.Order(order)), string(got))
			}
			requireClean(t, s)
		})
	}
}
