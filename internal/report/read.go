package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"

	"brokerage/internal/campaign"
	"brokerage/internal/output"
	"brokerage/internal/result"
)

// File is a file of results that was read: a campaign or a single run. One of the two is set.
type File struct {
	Name     string // the path as given to Read, or "campaign"
	Campaign *campaign.Record
	Run      *result.Run
}

// Read reads a file of results, or of the samples of k6. Its errors are one line that contains the name of the file.
func Read(path string) (*File, error) {
	file, err := output.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	f := &File{Name: path}
	run, isK6, err := result.ReadK6(file)
	switch {
	case err != nil:
	case isK6:
		f.Run = run
		err = f.check()
	default:
		text, tooLarge := output.ReadInput(path, campaign.MaxFile)
		if tooLarge != nil {
			return nil, tooLarge
		}
		err = f.parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// parse reads a result of this program. It refuses unknown fields, so that no figure is left out of a report silently.
func (f *File) parse(text []byte) error {
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("not a result of brokerage campaign, brokerage drive --json or k6 run --out json: %w", err)
	}
	into, known := map[string]any{campaign.Format: &f.Campaign, result.Format: &f.Run}[head.Format]
	if !known {
		return fmt.Errorf("its format is %q; this build reads %s and %s", head.Format, campaign.Format, result.Format)
	}
	decoder := json.NewDecoder(bytes.NewReader(result.InOneLine(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	return cmp.Or(checkFigures(reflect.ValueOf(into)), f.check())
}

// maxFigure is more than any figure of a result: microseconds in 30,000 years, a thousand petabytes in bytes.
const maxFigure = 1e18

// checkFigures returns an error if v contains a float64 beyond maxFigure.
func checkFigures(v reflect.Value) (err error) {
	switch v.Kind() {
	case reflect.Float64:
		if math.Abs(v.Float()) > maxFigure {
			return fmt.Errorf("the figure %g is too large for a measurement", v.Float())
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return checkFigures(v.Elem())
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			err = cmp.Or(err, checkFigures(field))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			err = cmp.Or(err, checkFigures(v.Index(i)))
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			err = cmp.Or(err, checkFigures(value))
		}
	default:
	}
	return err
}

// check returns an error for what is valid JSON but no possible result.
func (f *File) check() error {
	if f.Run != nil {
		return checkRun(f.Run)
	}
	for i := range f.Campaign.Steps {
		step := &f.Campaign.Steps[i]
		var err error
		if step.Run != nil {
			err = checkRun(step.Run)
			if step.Plan == nil {
				err = errors.New("the step has a run, but no plan")
			}
		}
		for i := range step.Inserts {
			err = cmp.Or(err, checkRun(&step.Inserts[i].Run))
		}
		if err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, step.Name, err)
		}
	}
	return nil
}

func checkRun(r *result.Run) error {
	if r.Format != result.Format {
		return fmt.Errorf("a run has format %q, not %s", r.Format, result.Format)
	}
	if r.Measured < 0 || r.TPS < 0 || r.Goodput < 0 || r.Total.Count < 0 {
		return errors.New("time, count or rate is below zero")
	}
	rows := int64(0)
	for _, row := range r.Transactions {
		rows += row.Count
	}
	if rows != r.Total.Count {
		return fmt.Errorf("the total counts %d transactions and its rows %d", r.Total.Count, rows)
	}
	for _, row := range append([]result.Row{r.Total}, r.Transactions...) {
		sum := row.Good + row.Refused() + row.Unanswered + row.Dropped + row.Waiting
		if row.Due != sum {
			return fmt.Errorf("%d transactions of %s were due, but %d are accounted for", row.Due, row.Name, sum)
		}
	}
	for _, p := range r.Parts {
		if p.Machine == nil || p.Generator == nil {
			return fmt.Errorf("part %d has no machine or no load generator", p.Number)
		}
	}
	if sampled := r.Resources; sampled != nil {
		for _, s := range sampled.Series {
			if len(s.Values) == 0 || len(s.Values) != len(sampled.Seconds) {
				return fmt.Errorf("%s of %s does not have a value for each sample", s.Figure, s.Of)
			}
		}
	}
	return nil
}
