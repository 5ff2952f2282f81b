package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/workload"
)

// File is a file of results that was read: a campaign, a single run, or a comparison of the tiers. One of the three is
// set.
type File struct {
	Name     string // as the reader called it
	Campaign *campaign.Record
	Run      *workload.Run
	Tier     *workload.Tier

	repeats []*File // of the same measurement, beside this one: see Together
}

// Read reads a file of results. Its errors are one line, and begin with the name of the file and, where it is known,
// line and column.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse is Read for the text of a file. It returns an error for unknown fields, so that no figure is left out of a
// report silently.
func Parse(name string, text []byte) (*File, error) {
	var head struct {
		Format *string `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			return nil, fmt.Errorf("%w: a file of results is JSON, campaign.json or what brokerage drive --json or k6 wrote",
				misread(name, text, err))
		}
		return nil, misread(name, text, err)
	}
	if head.Format == nil {
		return nil, fmt.Errorf("%s: has no format, so it is not a result of brokerage", name)
	}
	f := &File{Name: name}
	var into any
	switch *head.Format {
	case campaign.Format:
		f.Campaign = new(campaign.Record)
		into = f.Campaign
	case workload.RunFormat:
		f.Run = new(workload.Run)
		into = f.Run
	case workload.TierFormat:
		f.Tier = new(workload.Tier)
		into = f.Tier
	default:
		return nil, fmt.Errorf("%s: is of format %q; this build reads %s, %s and %s", name, *head.Format,
			campaign.Format, workload.RunFormat, workload.TierFormat)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return nil, misread(name, text, err)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// misread adds line and column, both from 1, to an error in JSON.
func misread(name string, text []byte, err error) error {
	offset := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = wrong.Offset
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		offset = int64(len(text))
	}
	if offset < 0 {
		return fmt.Errorf("%s: %w", name, err)
	}
	before := text[:min(int(offset), len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Errorf("%s:%d:%d: %w", name, line, max(column, 1), err)
}

// check returns an error for what is valid JSON but no possible result.
func (f *File) check() error {
	switch {
	case f.Campaign != nil:
		for i := range f.Campaign.Steps {
			step := &f.Campaign.Steps[i]
			if step.Name == "" || step.Kind == "" {
				return fmt.Errorf("step %d has no name or no kind", i+1)
			}
			if len(step.Runs) > 0 && step.Plan == nil {
				return fmt.Errorf("step %s has runs and no plan", step.Name)
			}
			if err := checkRuns(step); err != nil {
				return fmt.Errorf("step %s: %w", step.Name, err)
			}
		}
		return nil
	case f.Tier != nil:
		return checkTier(f.Tier)
	default:
		return checkRun(f.Run)
	}
}

func checkRuns(step *campaign.Step) error {
	for i := range step.Runs {
		if err := checkRun(&step.Runs[i].Run); err != nil {
			return fmt.Errorf("repeat %d: %w", i+1, err)
		}
	}
	for i := range step.Again {
		if err := checkRun(&step.Again[i].Run); err != nil {
			return fmt.Errorf("repeat %d, which was made again: %w", step.Again[i].Number, err)
		}
	}
	for i := range step.Inserts {
		if err := checkRun(&step.Inserts[i].Run); err != nil {
			return fmt.Errorf("stage %d: %w", i+1, err)
		}
	}
	if step.Tier != nil {
		return checkTier(step.Tier)
	}
	return nil
}

func checkTier(t *workload.Tier) error {
	if err := checkRun(&t.Direct); err != nil {
		return fmt.Errorf("direct: %w", err)
	}
	if err := checkRun(&t.HTTP); err != nil {
		return fmt.Errorf("http: %w", err)
	}
	return nil
}

func checkRun(r *workload.Run) error {
	if r.Format != workload.RunFormat {
		return fmt.Errorf("a run has format %q, not %s", r.Format, workload.RunFormat)
	}
	if r.Workload.Name == "" {
		return errors.New("the workload has no name")
	}
	if r.Measured < 0 || r.TPS < 0 || r.Goodput < 0 || r.Total.Count < 0 {
		return errors.New("time, count or rate is below zero")
	}
	rows := int64(0)
	for _, row := range append(slices.Clone(r.Transactions), r.Total) {
		if sum := row.Good + row.Refused() + row.Unanswered + row.Dropped + row.Waiting; row.Due != 0 &&
			row.Due != sum { // 0: of before it was counted
			return fmt.Errorf("%d transactions of %s were due, but %d are accounted for", row.Due, row.Name, sum)
		}
	}
	for _, row := range r.Transactions {
		if row.Good > row.Count || row.Count < 0 {
			return fmt.Errorf("%s succeeded %d times out of %d", row.Name, row.Good, row.Count)
		}
		rows += row.Count
	}
	if rows != r.Total.Count {
		return fmt.Errorf("the total counts %d transactions and its rows %d", r.Total.Count, rows)
	}
	return nil
}
