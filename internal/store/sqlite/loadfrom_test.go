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

// sourceOf is the documents of a dataset, in batches of 300 that pay no heed to kinds.
func sourceOf(d *dataset.Dataset) Source {
	var docs []func() []byte
	for _, k := range dataset.Kinds {
		for i := range d.Count(k) {
			docs = append(docs, func() []byte { return d.Append(nil, k, i) })
		}
	}
	s := source("source-of-"+d.Fingerprint(), 300, docs...)
	s.Contents = bulk.ContentsOf(d)
	return s
}

// source is documents in batches of some size. They have line numbers as if
// each took ten lines, and the files are numbered.
func source(name string, size int, docs ...func() []byte) Source {
	scale, _ := dataset.ParseScale("tiny")
	d := dataset.New(dataset.Spec{Scale: scale, Seed: 1})
	return Source{
		Name:    name,
		Sample:  func(k dataset.Kind, n int) [][]byte { return sample(d, k, min(n, 100)) }, // more would only take longer
		Refused: func(file string, line int, err error) error { return fmt.Errorf("%s:%d: %w", file, line, err) },
		Batches: func(position string) iter.Seq2[RawBatch, error] {
			return func(yield func(RawBatch, error) bool) {
				from, _ := strconv.Atoi("0" + position)
				for ; from < len(docs); from += size {
					b := RawBatch{File: fmt.Sprintf("file-%d", from/size), Position: strconv.Itoa(min(from+size, len(docs)))}
					for i, doc := range docs[from:min(from+size, len(docs))] {
						b.Documents = append(b.Documents, RawDocument{Bytes: doc(), Line: 1 + 10*i})
						b.Bytes += int64(len(doc()))
					}
					if !yield(b, nil) {
						return
					}
				}
			}
		},
	}
}

// telling records refusals instead of ending the load.
func telling(s Source, told *[]string) Source {
	s.Refused = func(file string, line int, err error) error {
		*told = append(*told, fmt.Sprintf("%s:%d: %v", file, line, err))
		return nil
	}
	return s
}

// in a document, one text in the place of another.
func changed(t testing.TB, doc []byte, old, replacement string) []byte {
	t.Helper()
	require.Contains(t, string(doc), old)
	return bytes.Replace(doc, []byte(old), []byte(replacement), 1)
}

func TestLoadBatches_Refused(t *testing.T) {
	d := generator(t, "tiny")
	customer, other := d.Append(nil, dataset.Customer, 0), d.Append(nil, dataset.Customer, 1)
	account := fmt.Sprint(d.FirstAccount(0))
	order, security := d.Append(nil, dataset.Order, 0), d.Append(nil, dataset.Security, 0)
	// Its own account first, then one of another customer: neither may stay.
	thief := changed(t, changed(t, customer, `id="1002"`, `id="7"`), `id="`+account+`"`, `id="70"`)
	thief = changed(t, thief, "</Accounts>", string(accountOf(t, customer))+"</Accounts>")
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
		{security, "file-1:31: security " + d.Symbol(0) + " exists already"},
		{thief, "file-1:41: account " + account + " exists already"},
		{changed(t, order, `ID="103282"`, `X="103282"`), "file-2:1: /FIXML/Order/@ID"},
		{other, ""},
		{later, ""},
	}
	var all []func() []byte
	var says []string
	for _, c := range docs {
		all = append(all, func() []byte { return c.doc })
		if c.says != "" {
			says = append(says, c.says)
		}
	}
	var told []string
	s := empty(t)
	l, err := s.LoadBatches(t.Context(), telling(source("odd", 5, all...), &told), nil)
	require.NoError(t, err)
	require.Len(t, told, len(says), "%s", strings.Join(told, "\n"))
	for i := range says {
		require.True(t, strings.HasPrefix(told[i], says[i]), "%s\nis not\n%s", told[i], says[i])
	}
	require.Equal(t, Loaded{
		Source: "odd", Position: "13", Documents: [...]int64{1, 2, 2}, Refused: int64(len(says)), Done: true,
		Raw: [...]int64{int64(len(security)), int64(len(customer) + len(other)), int64(len(order) + len(later))},
	}, l)
	requireClean(t, s)
	_, err = s.CustomerOf(t.Context(), 70)
	require.ErrorAs(t, err, new(*brokerage.NotFound), "of who was refused, nothing is left")
	contents, err := s.Contents(t.Context())
	require.NoError(t, err)
	require.Equal(t, brokerage.Contents{Fingerprint: "odd/1-2-2", Securities: 1, Customers: 2, Orders: 2}, contents)
	lease, err := s.Lease(t.Context(), "order", 1)
	require.NoError(t, err)
	require.Greater(t, int64(lease.First), int64(103282))
}

// accountOf is the first account of a customer.
func accountOf(t testing.TB, customer []byte) []byte {
	t.Helper()
	begin, end := bytes.Index(customer, []byte("<Account ")), bytes.Index(customer, []byte("</Account>"))
	require.Positive(t, begin)
	require.Greater(t, end, begin)
	return customer[begin : end+len("</Account>")]
}

// An error of Refused ends the load before the batch, and the same load without that error continues there.
func TestLoadBatches_Strict(t *testing.T) {
	d := generator(t, "tiny")
	of := func(k dataset.Kind, i int64) func() []byte { return func() []byte { return d.Append(nil, k, i) } }
	from := source("strict", 2,
		of(dataset.Security, 0), of(dataset.Order, 0),
		of(dataset.Order, 1), func() []byte { return []byte("<a") },
		of(dataset.Order, 2))
	s := empty(t)
	strict := errors.New("strict")
	refusing := from
	refusing.Refused = func(string, int, error) error { return strict }
	l, err := s.LoadBatches(t.Context(), refusing, nil)
	require.ErrorIs(t, err, strict)
	require.Equal(t, [...]int64{1, 0, 1}, l.Documents)
	require.False(t, l.Done)
	_, err = s.GetOrder(t.Context(), brokerage.ID(d.ID(dataset.Order, 1)))
	require.ErrorAs(t, err, new(*brokerage.NotFound), "its batch was not taken")
	require.Error(t, s.Ready(t.Context()))

	var told []string
	l, err = s.LoadBatches(t.Context(), telling(from, &told), nil)
	require.NoError(t, err)
	require.Equal(t, [...]int64{1, 0, 3}, l.Documents)
	require.Len(t, told, 1)
	require.True(t, strings.HasPrefix(told[0], "file-1:11: "), told[0])
	requireClean(t, s)
}

func TestLoadBatches_GoesOnWhereItStopped(t *testing.T) {
	d := generator(t, "tiny")
	s := empty(t)
	var told []string
	from := telling(sourceOf(d), &told)
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
		require.Equal(t, l, after, "what is told is what is stored")
	}
	require.Empty(t, told, "nothing came twice")
	require.Equal(t, 2700, total)
	requireClean(t, s)
	requireDataset(t, s, d)
}

func TestLoadBatches_AnotherSource(t *testing.T) {
	d := generator(t, "tiny")
	s := loaded(t, d)
	_, err := s.LoadBatches(t.Context(), source("other", 1), nil)
	require.EqualError(t, err, "the database holds "+d.Fingerprint()+" already")
	failing := source("other", 1)
	failing.Batches = func(string) iter.Seq2[RawBatch, error] {
		return func(yield func(RawBatch, error) bool) { yield(RawBatch{}, errors.New("cannot be read")) }
	}
	_, err = empty(t).LoadBatches(t.Context(), failing, nil)
	require.EqualError(t, err, "cannot be read")
}

// Every encoding that admission takes is taken, and stored in the normal form.
func TestLoadBatches_UTF16(t *testing.T) {
	d := generator(t, "tiny")
	order := d.Append(nil, dataset.Order, 0)
	encoded := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(`<?xml version="1.0" encoding="UTF-16"?>` + string(order))) {
		encoded = append(encoded, byte(unit), byte(unit>>8))
	}
	var told []string
	s := empty(t)
	half := encoded[:len(encoded)-1]
	_, err := s.LoadBatches(
		t.Context(), telling(source("utf-16", 2, func() []byte { return encoded }, func() []byte { return half }), &told),
		nil,
	)
	require.NoError(t, err)
	require.Len(t, told, 1, "half a character is none")
	require.True(t, strings.HasPrefix(told[0], "file-0:11: "), told[0])
	got, err := s.GetOrder(t.Context(), brokerage.ID(d.ID(dataset.Order, 0)))
	require.NoError(t, err)
	require.Equal(t, string(brokerage.Order(order)), string(got))
	requireClean(t, s)
}

// Whether documents are validated is up to the caller.
func TestLoadBatches_Checked(t *testing.T) {
	d := generator(t, "tiny")
	valid := d.Append(nil, dataset.Customer, 0)
	invalid := changed(t, d.Append(nil, dataset.Customer, 1), "<Name>", "<Nome></Nome><Name>")
	var told []string
	from := telling(source("checked", 10, func() []byte { return valid }, func() []byte { return invalid }), &told)
	from.Validate = true
	s := empty(t)
	l, err := s.LoadBatches(t.Context(), from, nil)
	require.NoError(t, err)
	require.Equal(t, [...]int64{0, 1, 0}, l.Documents)
	require.Len(t, told, 1)
	require.True(t, strings.HasPrefix(told[0], "file-0:11: "), told[0])
	requireClean(t, s)
}
