package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"brokerage/internal/dataset"
	"brokerage/internal/xmldoc"
)

// VerifyBatch is how many documents one call of Inspect's check verifies.
const VerifyBatch = 500

// Verified counts what a verification has read and found.
type Verified struct {
	Documents [len(dataset.Kinds)]int64
	Accounts  int64
	Bytes     [len(dataset.Kinds)]int64 // of the documents
	Findings  int64
}

// A Verification is one pass over everything in a store.
type Verification struct {
	Verified

	Find func(finding string) error // called with each finding, a sentence; its error ends the verification
	Read func(bytes int64)          // called with the bytes of each batch; it may be nil
}

// Report counts and reports findings. It returns the error of Find, or of ctx when that is done.
func (v *Verification) Report(ctx context.Context, findings ...string) error {
	for _, f := range findings {
		v.Findings++
		if err := v.Find(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ReportUnfinished reports that a load was not finished.
func (v *Verification) ReportUnfinished(ctx context.Context) error {
	return v.Report(ctx, "a load was not finished: run brokerage load --replace")
}

// Inspected is what was found in a batch of documents.
type Inspected struct {
	Documents int
	Bytes     int64
	Findings  []string
	// Err is the reason why the batch could not be read. It ends the verification, and the findings of the batch are not
	// reported, because what could not be read may look damaged.
	Err error

	again []byte // the current document, admitted again
}

// AddFinding adds a finding about a document.
func (b *Inspected) AddFinding(name, format string, args ...any) {
	b.Findings = append(b.Findings, name+": "+fmt.Sprintf(format, args...))
}

// stored has the limits for documents in a store. They are far above the default ones, because a document may have been
// admitted under limits other than today's.
var stored = xmldoc.Limits{Bytes: 1 << 30, Nodes: 1 << 30}

// Document checks that a document is in the normal form and valid. It reports whether the document is XML in the
// normal form, without which its keys cannot be compared.
func (b *Inspected) Document(k dataset.Kind, name string, doc []byte) (isXML bool) {
	b.Documents++
	b.Bytes += int64(len(doc))
	var err error
	if b.again, err = xmldoc.AppendAdmitted(b.again[:0], doc, stored); err != nil {
		b.AddFinding(name, "the document is not XML: %v", err)
		return false
	}
	if !bytes.Equal(doc, b.again) {
		b.AddFinding(name, "the document is not in the normal form")
		return false
	}
	if err := Validate(k, doc); err != nil {
		b.AddFinding(name, "the document is not valid: %v", err)
	}
	return true
}

// Inspect checks the documents of a kind, in batches, on all processors, and reports findings in the documents' order.
func Inspect[B any](
	ctx context.Context, v *Verification, k dataset.Kind, stored iter.Seq2[B, error], check func(B) Inspected,
) error {
	return InOrder(ctx, stored, check, func(b Inspected) error {
		if b.Err != nil {
			return b.Err
		}
		v.Documents[k] += int64(b.Documents)
		v.Bytes[k] += b.Bytes
		if v.Read != nil {
			v.Read(b.Bytes)
		}
		return v.Report(ctx, b.Findings...)
	})
}
