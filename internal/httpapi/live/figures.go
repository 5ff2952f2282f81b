package live

import (
	"time"

	"brokerage/internal/brokerage"
)

// Figures are one second of the service: LiveFigures of the contract.
type Figures struct {
	At      string  `json:"at"`
	Seconds float64 `json:"seconds"` // that the counts are of
	// All is everything together; Transactions are those that something ended of,
	// by name, and "other" is what is none of the 17.
	All          Ended             `json:"all"`
	Transactions map[string]Ended  `json:"transactions"`
	Refused      map[string]uint32 `json:"refused"` // before the store saw them, by reason
	Gate         Gate              `json:"gate"`
	Store        *Store            `json:"store,omitempty"` // none where it has no inside
	Watchers     int               `json:"watchers"`
}

// Ended are the requests that ended, and what those that ended well took: in
// milliseconds, over the last Window readings; none without any. Times are of
// operations on data alone: probes and pages are counted, and not timed.
type Ended struct {
	OK      uint32 `json:"ok"`
	Refused uint32 `json:"refused"`
	Failed  uint32 `json:"failed"`
	Times   *Times `json:"times,omitempty"`
}

// Times are percentiles, in milliseconds.
type Times struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Gate is who is let in at this moment. A limit of 0 is none, and then nobody is
// counted.
type Gate struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Limit   int `json:"limit"`
}

// Store is the inside of a store at this moment; counts are since it was opened.
type Store struct {
	Connections int   `json:"connections"` // at most, for reading
	InUse       int   `json:"in_use"`
	Waits       int64 `json:"waits"` // for a connection
	Commits     int64 `json:"commits"`
	Writes      int64 `json:"writes"` // that wait for their commit
	Hits        int64 `json:"hits"`   // reads that found warm what they needed
	Misses      int64 `json:"misses"`
}

// Window is how many readings the percentiles are over: those of a single second
// jump about where there are few requests.
const Window = 5

// figures are what happened between two readings, with times since a third one,
// which is no later.
func figures(reasons []string, now, last, before *reading) *Figures {
	f := &Figures{
		At: now.at.UTC().Format(time.RFC3339Nano), Seconds: threeDigits(now.at.Sub(last.at).Seconds()),
		Transactions: make(map[string]Ended), Refused: make(map[string]uint32),
	}
	var all [buckets]uint32
	for i := range now.cells {
		var times [buckets]uint32
		for b := range times {
			times[b] = now.cells[i].times[b] - before.cells[i].times[b]
			all[b] += times[b]
		}
		e := Ended{
			OK:      now.cells[i].ended[ok] - last.cells[i].ended[ok],
			Refused: now.cells[i].ended[refused] - last.cells[i].ended[refused],
			Failed:  now.cells[i].ended[failed] - last.cells[i].ended[failed],
			Times:   timesOf(&times),
		}
		f.All.OK += e.OK
		f.All.Refused += e.Refused
		f.All.Failed += e.Failed
		if e != (Ended{}) {
			f.Transactions[nameOf(i)] = e
		}
	}
	f.All.Times = timesOf(&all)
	for i, reason := range reasons {
		if n := now.why[i] - last.why[i]; n > 0 {
			f.Refused[reason] = n
		}
	}
	return f
}

func nameOf(place int) string {
	if place == other {
		return "other"
	}
	return brokerage.Transactions[place].Name
}

func timesOf(counts *[buckets]uint32) *Times {
	p := percentiles(counts, .5, .95, .99)
	if p == nil {
		return nil
	}
	return &Times{p[0], p[1], p[2]}
}
