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

// escapes are those in strings of JSON.
var escapes = regexp.MustCompile(`\\(u[0-9A-Fa-f]{4}|.)`)

// InOneLine replaces line breaks in strings of JSON by blanks, as many as keep the columns of errors: a line break
// would begin a line on a terminal, such as a verdict.
func InOneLine(text []byte) []byte {
	return escapes.ReplaceAllFunc(text, func(escape []byte) []byte {
		if string(escape) == `\n` || strings.EqualFold(string(escape), `\u000a`) {
			return bytes.Repeat([]byte(" "), len(escape))
		}
		return escape
	})
}

// k6Run is the run of loadtest/brokerage.js in the samples that `k6 run --out json` writes, one a line. The samples of
// several k6s that shared a load may follow each other.
type k6Run struct {
	Run

	Steps []float64 `json:"steps"` // arrivals a second of each interval; empty if they do not change

	described   string // the run and Steps, as the script describes them
	from        time.Time
	last        time.Time // when k6 was still running
	warm        time.Time // the first request of the warm-up
	preparation [2]time.Time
	dropped     int64
	early       []*k6Sample // that came before the description
	mix         []Mixed
	index       map[string]int // of the mix, by transaction
	every       time.Duration
	intervals   [][]*aggregate // by interval and part of the mix
	reasons     map[string]bool
}

// k6Tool is the name of k6 as the tool of a run.
const k6Tool = "k6"

// k6Sample is one line.
type k6Sample struct {
	Type   string `json:"type"`
	Metric string `json:"metric"`
	Data   struct {
		Time  time.Time         `json:"time"`
		Value float64           `json:"value"`
		Tags  map[string]string `json:"tags"`
	} `json:"data"`
}

// What is read of k6's samples: metrics of the script, and two of k6's own.
const (
	k6Times    = "transaction_duration" // milliseconds, when a transaction ended
	k6Again    = "drawn_again"
	k6Measured = "measured_from" // milliseconds since 1970; its tag describes the run
	k6Dropped  = "dropped_iterations"
	k6Users    = "vus" // each second
)

var k6Metrics = []string{k6Times, k6Again, k6Measured, k6Dropped, `"` + k6Users + `"`}

// k6Outcomes are the values of the tag outcome.
var k6Outcomes = map[string]Class{
	"good": Good, "expected": Expected, "unexpected": Unexpected, "unanswered": Unanswered,
}

const (
	k6Begins  = `{"type":"Metric",`
	longestK6 = 1 << 20 // bytes of a line: the longest is that of k6Measured

	// Bounds of what is read, far beyond a load test.
	mostK6      = 4e12                       // of a value: milliseconds until the year 2096
	mostK6Time  = float64(90 * 24 * 60 * 60) // seconds
	mostRowsK6  = 5000                       // transactions of all intervals
	mostEarlyK6 = 100_000

	// Reasons of outcomes are texts of a target.
	longestReasonK6 = 200 // characters
	mostReasonsK6   = 1000
	otherReasons    = "other reasons" // counts those beyond
)

// ReadK6 returns the result of a run of loadtest/brokerage.js from a file of the samples that k6 has written, which may
// be compressed with gzip. isK6 is false for another file. An error names the line.
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
	run, err = readK6(from)
	return run, true, err
}

func readK6(from io.Reader) (*Run, error) {
	k := &k6Run{reasons: make(map[string]bool)}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longestK6)
	number := 0
	for lines.Scan() {
		number++
		isRead := func(metric string) bool { return bytes.Contains(lines.Bytes(), []byte(metric)) }
		if !slices.ContainsFunc(k6Metrics, isRead) { // a request has a dozen samples, and one of them counts
			continue
		}
		s := &k6Sample{}
		err := json.Unmarshal(InOneLine(lines.Bytes()), s)
		if err == nil {
			err = k.add(s)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", number, err)
	}
	return k.result()
}

func (k *k6Run) add(s *k6Sample) error {
	if s.Type != "Point" {
		return nil
	}
	if v := s.Data.Value; !(v >= 0 && v < mostK6) {
		return fmt.Errorf("the figure %g is not that of a measurement", v)
	}
	switch s.Metric {
	case k6Users:
		if s.Data.Time.After(k.last) {
			k.last = s.Data.Time
		}
	case k6Measured:
		return k.describe(s)
	case k6Dropped:
		k.dropped += int64(s.Data.Value)
	case k6Times, k6Again:
		if k.described == "" && (s.Data.Tags["scenario"] != "warmup" || s.Data.Tags["kind"] == "prepare") {
			if k.early = append(k.early, s); len(k.early) > mostEarlyK6 {
				return fmt.Errorf("more than %d samples before %s, which says what they are of", mostEarlyK6, k6Measured)
			}
			return nil
		}
		k.count(s)
	default:
	}
	return nil
}

// describe reads what the script says of its run.
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
	if err := json.Unmarshal(InOneLine([]byte(described)), k); err != nil {
		return fmt.Errorf("the description of the run in %s: %w", k6Measured, err)
	}
	if machine := s.Data.Tags["machine"]; machine != "" {
		if err := json.Unmarshal([]byte(machine), &k.Machine); err != nil {
			return fmt.Errorf("the description of the machine in %s: %w", k6Measured, err)
		}
	}
	if k.Duration <= 0 || k.Model.Every <= 0 || len(k.Transactions) == 0 {
		return fmt.Errorf("the description of the run in %s has no duration, intervals or transactions", k6Measured)
	}
	rows := k.Duration / k.Model.Every * float64(len(k.Transactions))
	if k.Duration > mostK6Time || k.Model.Every < 1e-3 || rows > mostRowsK6 {
		return fmt.Errorf("the description of the run in %s has a duration of %g s, intervals of %g s and %d transactions, "+
			"which are too many", k6Measured, k.Duration, k.Model.Every, len(k.Transactions))
	}
	k.described, k.from, k.Format, k.Prepared = described, from, Format, &Prepared{}
	k.every = time.Duration(k.Model.Every * float64(time.Second))
	k.mix, k.index = mixOf(k.Transactions), make(map[string]int)
	for i, part := range k.mix {
		k.index[part.Name] = i
	}
	k.PerSecond = make([]int64, int(math.Ceil(k.Duration)))
	for range int(math.Ceil(k.Duration / k.Model.Every)) {
		k.intervals = append(k.intervals, newAggregates(len(k.mix)))
	}
	for _, s := range k.early {
		k.count(s)
	}
	k.early = nil
	return nil
}

// count adds a transaction to the figures.
func (k *k6Run) count(s *k6Sample) {
	name, ended := s.Data.Tags["name"], s.Data.Time
	took := time.Duration(s.Data.Value * float64(time.Millisecond))
	warming := s.Data.Tags["scenario"] == "warmup"
	if began := ended.Add(-took); warming && (k.warm.IsZero() || began.Before(k.warm)) {
		k.warm = began
	}
	if s.Data.Tags["kind"] == "prepare" {
		k.prepared(s, took, !warming)
	}
	p, counts := k.index[name]
	if warming || !counts {
		return
	}
	at := max(ended.Sub(k.from), 0)
	r := &Record{At: at, Took: took, Transaction: p, Waiting: at.Seconds() >= k.Duration}
	if s.Metric == k6Again {
		r.Outcome.Class = Empty
	} else {
		r.Outcome = Outcome{k6Outcomes[s.Data.Tags["outcome"]], k.reason(s)}
		if second := int(at / time.Second); !r.Waiting && second < len(k.PerSecond) {
			k.PerSecond[second]++
		}
	}
	k.intervals[min(int(at/k.every), len(k.intervals)-1)][p].add(r)
}

// reason returns the beginning of the reason that a sample gives, or otherReasons when there were too many different
// ones.
func (k *k6Run) reason(s *k6Sample) string {
	reason := s.Data.Tags["reason"]
	if characters := []rune(reason); len(characters) > longestReasonK6 {
		reason = string(characters[:longestReasonK6])
	}
	if !k.reasons[reason] && len(k.reasons) == mostReasonsK6 {
		return otherReasons
	}
	k.reasons[reason] = true
	return reason
}

// prepared counts a document that a user inserts to delete it later.
func (k *k6Run) prepared(s *k6Sample, took time.Duration, late bool) {
	p := k.Prepared
	if reason := k.reason(s); reason != "" {
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
	if began := s.Data.Time.Add(-took); k.preparation[0].IsZero() || began.Before(k.preparation[0]) {
		k.preparation[0] = began
	}
	if s.Data.Time.After(k.preparation[1]) {
		k.preparation[1] = s.Data.Time
	}
}

// result returns what was read, judged like every other result.
func (k *k6Run) result() (*Run, error) {
	if k.described == "" {
		return nil, fmt.Errorf("has no sample of %s: k6 ended before the load began, or ran another script than "+
			"loadtest/brokerage.js", k6Measured)
	}
	r := &k.Run
	r.Prepared.Seconds = k.preparation[1].Sub(k.preparation[0]).Seconds()
	r.Measured, r.Ended = r.Duration, Complete
	if until := k.last.Sub(k.from).Seconds(); until < r.Duration-1.5 { // k6 says each second that it runs
		r.Measured, r.Ended = max(until, 0), Interrupted
	}
	r.Started = k.from.UTC()
	if !k.warm.IsZero() {
		r.Started = k.warm.UTC()
		r.Warmed = max(k.from.Sub(k.warm).Seconds(), 0)
	}
	t := NewTally(k.mix)
	for i, interval := range k.intervals {
		t.interval = interval
		t.Cut(min(time.Duration(i+1)*k.every, time.Duration(r.Measured*float64(time.Second))))
	}
	t.intervals = t.intervals[:min(len(t.intervals), int(math.Ceil(r.Measured/r.Model.Every)))]
	if len(k.Steps) == 0 { // or else the seconds are to differ
		t.perSecond = r.PerSecond[:min(len(r.PerSecond), int(r.Measured))]
	}
	if r.Model.Kind == Open {
		begun := sum(t.all)
		due := begun.count + begun.waiting + k.dropped
		r.Arrivals = &Arrivals{Due: due, Started: due - k.dropped, Dropped: k.dropped}
	}
	return r, t.Finish(r)
}
