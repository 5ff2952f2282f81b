package result

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"brokerage/internal/output"
)

// escapes matches an escape sequence in a string of JSON.
var escapes = regexp.MustCompile(`\\(u[0-9A-Fa-f]{4}|.)`)

// InOneLine replaces each escaped line break in strings of JSON by blanks of the same length, so that the columns in
// errors stay right. With the line break, a text could forge a line of the output, such as a verdict.
func InOneLine(text []byte) []byte {
	return escapes.ReplaceAllFunc(text, func(escape []byte) []byte {
		if string(escape) == `\n` || strings.EqualFold(string(escape), `\u000a`) {
			return bytes.Repeat([]byte(" "), len(escape))
		}
		return escape
	})
}

// The metrics that are read: three of the script, and two of k6's own.
const (
	k6Times    = "transaction_duration" // milliseconds that a transaction took, at its end
	k6Again    = "drawn_again"
	k6Measured = "measured_from" // milliseconds since 1970; its tags describe the run and the machine
	k6Dropped  = "dropped_iterations"
	k6Users    = "vus" // written each second
)

var k6Metrics = []string{k6Times, k6Again, k6Measured, k6Dropped, `"` + k6Users + `"`}

// k6Outcomes are the values of the tag outcome.
var k6Outcomes = map[string]Class{
	"good": Good, "expected": Expected, "unexpected": Unexpected, "unanswered": Unanswered,
}

const (
	k6Begins  = `{"type":"Metric",`
	longestK6 = 1 << 20 // bytes of a line: the longest is that of k6Measured

	// Bounds of what is read, far beyond those of any load test.
	mostK6          = 4e12 // of a value: milliseconds until the year 2096
	mostK6Time      = 1e7  // seconds
	mostIntervalsK6 = 500
	leastIntervalK6 = 1e-3    // seconds
	mostMixedK6     = 200     // transactions
	mostEarlyK6     = 100_000 // samples before the description
)

// k6Sample is one line of k6's output.
type k6Sample struct {
	Type   string `json:"type"`
	Metric string `json:"metric"`
	Data   struct {
		Time  time.Time         `json:"time"`
		Value float64           `json:"value"`
		Tags  map[string]string `json:"tags"`
	} `json:"data"`
}

// k6Run is the run of loadtest/brokerage.js, as its samples describe it.
type k6Run struct {
	Run

	Steps []float64 `json:"steps"` // arrivals a second of each interval; empty if they do not change

	described string // the run and Steps, as the script describes them
	from      time.Time
	last      time.Time // the latest time at which k6 was running
	prepared  Prepared
	dropped   int64
	early     []*k6Sample // that came before the description
	tally     *Tally
	index     map[string]int // of the transactions, by name
	intervals []Row
}

// ReadK6 returns the result of a run of loadtest/brokerage.js from the samples that `k6 run --out json` writes to
// a file, one a line. The file may be compressed with gzip. The samples of several k6s that shared a load may follow
// each other. isK6 is false for another file. An error in a line names it.
func ReadK6(file io.Reader) (run *Run, isK6 bool, err error) {
	from := bufio.NewReader(file)
	if magic, _ := from.Peek(2); string(magic) == "\x1f\x8b" {
		packed := int64(0)
		unpacked, err := gzip.NewReader(output.Counting{Reader: from, Bytes: &packed})
		if err != nil {
			return nil, false, err
		}
		from = bufio.NewReader(&output.Unpacking{Reader: unpacked, Packed: &packed, Most: 200})
	}
	if begin, _ := from.Peek(len(k6Begins)); string(begin) != k6Begins {
		return nil, false, nil
	}
	var k k6Run
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longestK6)
	number := 1
	for ; lines.Scan(); number++ {
		isRead := func(metric string) bool { return bytes.Contains(lines.Bytes(), []byte(metric)) }
		if !slices.ContainsFunc(k6Metrics, isRead) { // a request has a dozen samples, only one of them read
			continue
		}
		s := &k6Sample{}
		err := json.Unmarshal(InOneLine(lines.Bytes()), s)
		if err == nil {
			err = k.add(s)
		}
		if err != nil {
			return nil, true, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, true, fmt.Errorf("line %d: %w", number, err)
	}
	run, err = k.result()
	return run, true, err
}

func (k *k6Run) add(s *k6Sample) error {
	if s.Type != "Point" {
		return nil
	}
	if v := s.Data.Value; !(v >= 0 && v < mostK6) {
		return fmt.Errorf("the figure %g is negative or too large for a measurement", v)
	}
	warming := s.Data.Tags["scenario"] == "warmup"
	switch {
	case s.Metric == k6Measured:
		return k.describe(s)
	case s.Metric == k6Users && s.Data.Time.After(k.last):
		k.last = s.Data.Time
	case s.Metric == k6Dropped:
		k.dropped += int64(s.Data.Value)
	case s.Data.Tags["kind"] == "prepare" && s.Metric == k6Times:
		k.prepare(s, !warming)
	case warming:
	case s.Metric == k6Times, s.Metric == k6Again:
		if k.described == "" {
			if k.early = append(k.early, s); len(k.early) > mostEarlyK6 {
				return fmt.Errorf("more than %d samples come before %s, which describes the run", mostEarlyK6, k6Measured)
			}
			return nil
		}
		k.count(s)
	default:
	}
	return nil
}

// describe reads the script's description of the run, which each part of a load repeats.
func (k *k6Run) describe(s *k6Sample) error {
	described, from := s.Data.Tags["run"], time.UnixMilli(int64(s.Data.Value))
	if k.described != "" {
		apart := from.Sub(k.from).Abs()
		switch {
		case described != k.described:
			return errors.New("the samples are of two different runs")
		case apart.Seconds() > mostApart:
			return fmt.Errorf("the samples are of parts that began %s apart; they must begin together", apart)
		}
		return nil
	}
	err := json.Unmarshal(InOneLine([]byte(described)), k)
	if machine := s.Data.Tags["machine"]; err == nil && machine != "" {
		err = json.Unmarshal(InOneLine([]byte(machine)), &k.Machine)
	}
	if err != nil {
		return fmt.Errorf("the description of the run in %s: %w", k6Measured, err)
	}
	intervals := math.Ceil(k.Duration / k.Model.Every)
	if !(k.Duration > 0 && k.Duration < mostK6Time && k.Model.Every >= leastIntervalK6 && intervals < mostIntervalsK6) {
		return fmt.Errorf("the description of the run in %s has a duration of %g s and intervals of %g s", k6Measured,
			k.Duration, k.Model.Every)
	}
	if n := len(k.Transactions); n < 1 || n > mostMixedK6 {
		return fmt.Errorf("the description of the run in %s has %d transactions", k6Measured, n)
	}
	k.described, k.from, k.Format = described, from, Format
	k.tally, k.index = NewTally(k.Transactions), make(map[string]int)
	for i, row := range k.Transactions {
		k.index[row.Name] = i
	}
	for range int(intervals) {
		k.intervals = append(k.intervals, newRow("", "", 0))
	}
	for _, s := range k.early {
		k.count(s)
	}
	return nil
}

// count adds a transaction to the figures.
func (k *k6Run) count(s *k6Sample) {
	transaction, counts := k.index[s.Data.Tags["name"]]
	if !counts {
		return
	}
	at := max(s.Data.Time.Sub(k.from), 0)
	r := &Record{At: at, Took: time.Duration(s.Data.Value * float64(time.Millisecond)), Transaction: transaction,
		Outcome: Outcome{k6Outcomes[s.Data.Tags["outcome"]], s.Data.Tags["reason"]}, Waiting: at.Seconds() >= k.Duration}
	if s.Metric == k6Again {
		r.Outcome.Class = Empty
	}
	k.tally.Add(r)
	k.intervals[min(int(at.Seconds()/k.Model.Every), len(k.intervals)-1)].add(r)
}

// prepare counts a document that a user inserted to delete it later; late means in the measured time.
func (k *k6Run) prepare(s *k6Sample, late bool) {
	p := &k.prepared
	if reason := s.Data.Tags["reason"]; reason != "" {
		Count(&p.Unexpected, reason, 1)
		return
	}
	if strings.HasSuffix(s.Data.Tags["name"], "customer") {
		p.Customers++
	} else {
		p.Orders++
	}
	if late {
		p.Late++
	}
}

// result returns what was read, judged like every other result.
func (k *k6Run) result() (*Run, error) {
	if k.described == "" {
		return nil, fmt.Errorf("has no sample of %s: k6 ended before the load began, or ran another script than "+
			"loadtest/brokerage.js", k6Measured)
	}
	r, t := &k.Run, k.tally
	r.Prepared = &k.prepared
	r.Measured, r.Ended = r.Duration, Complete
	if until := k.last.Sub(k.from).Seconds(); until < r.Duration-1.5 { // k6 writes k6Users each second
		r.Measured, r.Ended = max(until, 0), Interrupted
	}
	r.Warmed = r.Ramp
	r.Started = k.from.Add(-time.Duration(r.Warmed * float64(time.Second))).UTC()
	end := time.Duration(r.Measured * float64(time.Second))
	for i := range k.intervals {
		every := r.Model.Every * float64(time.Second)
		from, to := time.Duration(float64(i)*every), min(time.Duration(float64(i+1)*every), end)
		if from < to {
			t.intervals = append(t.intervals, k.intervals[i].between(from, to))
		}
	}
	t.perSecond = t.perSecond[:min(len(t.perSecond), int(r.Measured))]
	if len(k.Steps) > 0 { // the rate changes on purpose, which would be judged unsteady
		t.perSecond = nil
	}
	if r.Model.Kind == Open {
		a := &Arrivals{Dropped: k.dropped}
		for i := range t.rows {
			a.Started += t.rows[i].Due
		}
		a.Due = a.Started + a.Dropped
		r.Arrivals = a
	}
	t.Finish(r)
	return r, nil
}
