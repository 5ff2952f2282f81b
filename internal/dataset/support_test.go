package dataset_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/dataset"
)

var profiles = []dataset.Profile{dataset.TPoX2, dataset.TPoX1}

// scale finds a scale by its name.
func scale(tb testing.TB, name string) dataset.Scale {
	tb.Helper()
	s, err := dataset.ParseScale(name)
	require.NoError(tb, err)
	return s
}

// open makes the dataset of a scale and profile with seed 1.
func open(tb testing.TB, name string, p dataset.Profile) *dataset.Dataset {
	tb.Helper()
	return dataset.New(dataset.Spec{Scale: scale(tb, name), Profile: p, Seed: 1})
}

// eachProfile runs a test for both profiles.
func eachProfile(t *testing.T, f func(t *testing.T, p dataset.Profile)) {
	t.Helper()
	for _, p := range profiles {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			f(t, p)
		})
	}
}

// fewer returns n, or n/10 in short tests and under the race detector, which slows the generator down tenfold.
func fewer(n int64) int64 {
	if raceEnabled || testing.Short() {
		return n / 10
	}
	return n
}

// slow skips tests with long measurements on one goroutine, under the race detector and in short tests.
func slow(t *testing.T) {
	t.Helper()
	if raceEnabled || testing.Short() {
		t.Skip("too slow under the race detector and for short tests")
	}
}

// each calls f with n documents, the first at index from, in a reused buffer.
func each(d *dataset.Dataset, k dataset.Kind, from, n int64, f func(i int64, doc []byte)) {
	var doc []byte
	for i := from; i < from+n; i++ {
		doc = d.Append(doc[:0], k, i)
		f(i, doc)
	}
}

// texts returns the contents of the elements with a given name. The elements must have no attributes and not be nested.
func texts(doc []byte, name string) [][]byte {
	var found [][]byte
	start, end := []byte("<"+name+">"), []byte("</"+name+">")
	for {
		_, after, ok := bytes.Cut(doc, start)
		if !ok {
			return found
		}
		var text []byte
		text, doc, _ = bytes.Cut(after, end)
		found = append(found, text)
	}
}

// text returns the content of the first element with a given name, nil if there is none.
func text(doc []byte, name string) []byte {
	_, after, ok := bytes.Cut(doc, []byte("<"+name+">"))
	if !ok {
		return nil
	}
	found, _, _ := bytes.Cut(after, []byte("</"+name+">"))
	return found
}

// attr returns the value of the first attribute of a given name, from the first start tag of an element on, or nil.
func attr(doc []byte, element, name string) []byte {
	at := bytes.Index(doc, []byte("<"+element+" "))
	if at < 0 {
		return nil
	}
	_, after, ok := bytes.Cut(doc[at+1+len(element):], []byte(" "+name+`="`))
	if !ok {
		return nil
	}
	value, _, _ := bytes.Cut(after, []byte(`"`))
	return value
}
