package schema

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"

	"brokerage/internal/xmldoc"
)

// FuzzValidate requires a verdict for every document that is admitted. The findings of a refused document must have
// positions in the document, in ascending order.
func FuzzValidate(f *testing.F) {
	for _, s := range schemaFiles {
		for _, doc := range mutants(f, examples(f, s.examples), 50) {
			f.Add(doc)
		}
	}
	for _, c := range refused {
		f.Add(replaced(f, example(f, c.file), c.from, c.to))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		doc, err := xmldoc.Admit(doc, xmldoc.Limits{})
		if err != nil {
			return
		}
		for _, s := range schemaFiles {
			err := s.validator().Validate(doc)
			if err == nil {
				continue
			}
			refusal, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("no verdict: %v", err)
			}
			if n := len(refusal.Findings); n == 0 || n > MaxFindings {
				t.Fatalf("%d findings: %v", n, err)
			}
			lines, line, column := bytes.Split(doc, []byte("\n")), 1, 1
			for _, at := range refusal.Findings {
				if at.Line < line || at.Line == line && at.Column < column {
					t.Fatalf("not in the order of the document: %v", refusal.Findings)
				}
				line, column = at.Line, at.Column
				// Text may begin with a line break, behind the last character of its line.
				if column > utf8.RuneCount(lines[line-1])+1 || at.Path == "" || at.Message == "" ||
					!utf8.ValidString(at.Path+at.Message) {
					t.Fatalf("%#v", at)
				}
			}
		}
	})
}
