package workload

import (
	"bytes"

	"brokerage/internal/tpox"
)

// call is one call of a transaction, in the same form for every backend. A user reuses its call for the next one.
type call struct {
	transaction *Transaction
	id          tpox.ID // of the order or customer; of the account in a trade
	account     tpox.ID // that is opened or closed; of a new order; the first of a new customer
	symbol      string
	search      searchCall
	quantity    int64
	cents       int64 // price
	status      string
	doc         []byte
	today       string // when doc was made
	second      int    // of today
	validate    bool
	isNew       bool     // id is of a document that was inserted, and that all users draw
	values      [][]byte // of own transactions, by Value.index
}

// outcome is the result of a call.
type outcome struct {
	class  class
	reason string // why the call did not succeed: one of a few texts
}

type class uint8

const (
	good class = iota
	expected
	unexpected
	unanswered // no answer came, or none within the timeout of the request
	abandoned  // the end of the run cut it off, so it is unknown whether an answer would have come
	emptied    // not called: the user had nothing of its own to remove
)

var done = outcome{class: good}

// The reasons that are not among brokerage's.
const (
	reasonStale    = "stale"
	reasonNoAnswer = "no-answer"
	reasonTimeout  = "timeout"
	reasonNotFound = "404 not-found"
)

var (
	wrongAnswer = outcome{unexpected, "wrong-answer"}
	noAnswer    = outcome{unanswered, reasonNoAnswer}
	timedOut    = outcome{unanswered, reasonTimeout}
)

// keyWithin is the number of bytes at the beginning of an answer that contain its key: in the attributes of the root,
// after the namespace declarations, or in the first element.
const keyWithin = 512

// checker checks that an answer belongs to the request. It reads only a small part of the answer: a load generator that
// reads everything measures mostly itself.
type checker struct {
	keys bool // check the key; false for a backend whose answers are always the same
	key  []byte
}

func (k *checker) check(c *call, answer []byte) outcome {
	t := c.transaction
	if t.Answer != "" && string(rootName(answer)) != t.Answer {
		return wrongAnswer
	}
	if k.keys && t.key != nil {
		within := keyWithin
		if t.own {
			within = len(answer)
		}
		k.key = t.key.fill(k.key[:0], c)
		if !bytes.Contains(answer[:min(len(answer), within)], k.key) {
			return wrongAnswer
		}
	}
	return done
}

// rootName returns the name of the root element without its prefix.
func rootName(doc []byte) []byte {
	if bytes.HasPrefix(doc, []byte("<?")) {
		_, doc, _ = bytes.Cut(doc, []byte("?>"))
		doc = bytes.TrimLeft(doc, "\r\n\t ")
	}
	if len(doc) == 0 || doc[0] != '<' {
		return nil
	}
	from := 1
	for i := 1; i < len(doc); i++ {
		switch doc[i] {
		case ':':
			from = i + 1
		case ' ', '>', '/', '\t', '\n', '\r':
			return doc[from:i]
		}
	}
	return nil
}
