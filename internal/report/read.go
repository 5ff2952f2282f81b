package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"brokerage/internal/campaign"
	"brokerage/internal/output"
	"brokerage/internal/result"
)

// File is a file of results that was read: a campaign or a single run. One of the two is set.
type File struct {
	Name     string // as the reader called it
	Campaign *campaign.Record
	Run      *result.Run
}

// Read reads a file of results, or of the samples of k6. Its errors are one line, and begin with the name of the file
// and, where it is known, line and column.
func Read(path string) (*File, error) {
	file, err := output.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	if run, isK6, err := result.ReadK6(file); isK6 || err != nil {
		f := &File{Name: path, Run: run}
		if err == nil {
			err = cmp.Or(checkFigures(reflect.ValueOf(run)), f.check())
		}
		return f, at(err, "%s", path)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := output.ReadAtMost(file, campaign.MaxFile)
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
		err = misread(name, text, err)
		if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			err = fmt.Errorf(
				"%w: a file of results is JSON, campaign.json or what brokerage drive --json or k6 run --out json wrote", err)
		}
		return nil, err
	}
	if head.Format == nil {
		return nil, fmt.Errorf("%s: has no format, so it is not a result of brokerage", name)
	}
	f := &File{Name: name}
	into, known := map[string]any{
		campaign.Format: &f.Campaign, result.Format: &f.Run,
	}[*head.Format]
	if !known {
		return nil, fmt.Errorf("%s: is of format %q; this build reads %s and %s", name, *head.Format,
			campaign.Format, result.Format)
	}
	text = result.InOneLine(text)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return nil, misread(name, text, err)
	}
	if err := cmp.Or(checkFigures(reflect.ValueOf(into)), f.check()); err != nil {
		return nil, at(err, "%s", name)
	}
	return f, nil
}

// misread adds line and column, both from 1, to an error in JSON.
func misread(name string, text []byte, err error) error {
	offset := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	}
	if mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = mistyped.Offset
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		offset = int64(len(text))
	}
	if offset < 0 {
		return at(err, "%s", name)
	}
	before := text[:min(int(offset), len(text))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return at(err, "%s:%d:%d", name, line, max(column, 1))
}

// at adds the place of an error, if there is one.
func at(err error, format string, place ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, place...), err)
}

// maxFigure is more than any figure of a result: microseconds in 30,000 years, a thousand petabytes in bytes. minFigure
// is less than any that is not 0.
const (
	maxFigure = 1e18
	minFigure = 1e-100
)

// checkFigures returns an error for a figure that would draw a chart without an end.
func checkFigures(v reflect.Value) (err error) {
	switch v.Kind() {
	case reflect.Float64:
		if size := math.Abs(v.Float()); size > maxFigure || size > 0 && size < minFigure {
			return fmt.Errorf("the figure %g is not that of a measurement", v.Float())
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
		switch {
		case step.Name == "" || step.Kind == "":
			return fmt.Errorf("step %d has no name or no kind", i+1)
		case step.Run != nil && step.Plan == nil:
			err = errors.New("it has a run and no plan")
		case step.Run != nil:
			err = checkRun(step.Run)
		}
		for i := range step.Inserts {
			err = cmp.Or(err, at(checkRun(&step.Inserts[i].Run), "stage %d", i+1))
		}
		if err != nil {
			return at(err, "step %s", step.Name)
		}
	}
	return nil
}

func checkRun(r *result.Run) error {
	switch {
	case r.Format != result.Format:
		return fmt.Errorf("a run has format %q, not %s", r.Format, result.Format)
	case r.Workload.Name == "":
		return errors.New("the workload has no name")
	case r.Measured < 0 || r.TPS < 0 || r.Goodput < 0 || r.Total.Count < 0:
		return errors.New("time, count or rate is below zero")
	}
	for _, row := range append(slices.Clone(r.Transactions), r.Total) {
		sum := row.Good + row.Refused() + row.Unanswered + row.Dropped + row.Waiting
		if row.Due != sum {
			return fmt.Errorf("%d transactions of %s were due, but %d are accounted for", row.Due, row.Name, sum)
		}
	}
	rows := int64(0)
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
