package schema

import (
	"errors"
	"testing"
	"unicode/utf8"

	"brokerage/internal/xmldoc"
)

// FuzzValidate: every document that is admitted gets a verdict.
func FuzzValidate(f *testing.F) {
	for _, s := range schemaFiles {
		for _, name := range s.examples {
			f.Add(example(f, name))
		}
	}
	for _, r := range customerRules {
		f.Add(replaced(f, example(f, "customer.xml"), r.from, r.to))
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
			for _, finding := range refusal.Findings {
				if finding.Line < 1 || finding.Column < 1 || finding.Path == "" || finding.Message == "" ||
					!utf8.ValidString(finding.Path+finding.Message) {
					t.Fatalf("%#v", finding)
				}
			}
		}
	})
}

// FuzzAccept: the automaton accepts no document that the engine refuses.
func FuzzAccept(f *testing.F) {
	for _, docs := range generated(3) {
		for _, doc := range docs {
			f.Add(doc)
		}
	}
	for _, s := range schemaFiles {
		for _, name := range s.examples {
			f.Add(example(f, name))
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		for _, s := range schemaFiles {
			accepted(t, s.validator(), doc)
		}
	})
}
