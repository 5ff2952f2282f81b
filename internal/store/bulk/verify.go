package bulk

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// VerifyBatch is how many documents a processor takes at once.
const VerifyBatch = 500

// Verified is how much a verification has read.
type Verified struct {
	Documents [len(dataset.Kinds)]int64
	Accounts  int64
	Bytes     [len(dataset.Kinds)]int64 // of the documents
	Findings  int64
}

// Verification is one reading of everything that a store holds.
type Verification struct {
	Verified

	Find func(finding string) error // told what is wrong, a sentence each; its error ends it
	Read func(bytes int64)          // told of progress, if there is one
}

// Tell counts what was found and tells it, unless the end is wanted.
func (v *Verification) Tell(ctx context.Context, findings ...string) error {
	for _, f := range findings {
		v.Findings++
		if err := v.Find(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// TellUnfinished tells that a load was begun of which something is missing.
func (v *Verification) TellUnfinished(ctx context.Context) error {
	return v.Tell(ctx, "a load was not finished: the load command with the same arguments goes on")
}

// Inspected is a batch of documents that was looked at, and what is wrong with it.
type Inspected struct {
	Documents int
	Bytes     int64
	Findings  []string
	// Err is why it could not be looked at: it ends the verification, and what was
	// found of the batch is not told, since what could not be read may look wrong.
	Err error

	again []byte // the document in hand, admitted anew
}

// Wrong makes a finding of a document.
func (b *Inspected) Wrong(name, format string, args ...any) {
	b.Findings = append(b.Findings, name+": "+fmt.Sprintf(format, args...))
}

// stored are the limits of documents that are there already: what they may be is decided when they come, by the limits
// of that time.
var stored = xmldoc.Limits{Bytes: 1 << 30, Nodes: 1 << 30, Attributes: 1 << 30}

// Document looks at one for itself: is it as a client could have got it in, and
// valid? Its keys cannot be compared if it is not so much as XML.
func (b *Inspected) Document(k dataset.Kind, name string, doc []byte) (isXML bool) {
	b.Documents++
	b.Bytes += int64(len(doc))
	var err error
	if b.again, err = xmldoc.AppendAdmitted(b.again[:0], doc, stored); err != nil {
		b.Wrong(name, "the document is not XML: %v", err)
		return false
	}
	if !bytes.Equal(doc, b.again) {
		b.Wrong(name, "the document is not in the normal form")
		return false
	}
	if err := Validate(k, doc); err != nil {
		b.Wrong(name, "the document is not valid: %v", err)
	}
	return true
}

// Inspect looks at the documents of a kind, batch by batch, on all processors,
// and tells what is wrong in their order.
func Inspect[B any](ctx context.Context, v *Verification, k dataset.Kind, stored iter.Seq2[B, error], look func(B) Inspected) error {
	return InOrder(ctx, stored, look, func(b Inspected) error {
		if b.Err != nil {
			return b.Err
		}
		v.Documents[k] += int64(b.Documents)
		v.Bytes[k] += b.Bytes
		if v.Read != nil {
			v.Read(b.Bytes)
		}
		return v.Tell(ctx, b.Findings...)
	})
}
