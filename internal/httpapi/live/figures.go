package live

import (
	"time"

	"brokerage/internal/telemetry"
	"brokerage/internal/tpox"
)

// Figures are the figures of one second: LiveFigures of the contract.
type Figures struct {
	At      string  `json:"at"`
	Seconds float64 `json:"seconds"` // over which the counts are
	// All is the sum. Transactions holds, by name, those of which a request has ended; telemetry.Other stands for all
	// other operations.
	All          Ended             `json:"all"`
	Transactions map[string]Ended  `json:"transactions"`
	Refused      map[string]uint32 `json:"refused"` // before the store saw them, by reason
	Gate         GateState         `json:"gate"`
	Store        *StoreState       `json:"store,omitempty"` // none where it has no inside
	Watchers     int               `json:"watchers"`
}

// Ended are the requests that have ended, and the durations of the successful ones over the last Window readings; nil
// without any. Probes and pages are counted, but not timed.
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

// GateState is the state of the gate: the requests running and waiting, and the limit. Without a limit all are 0.
type GateState struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Limit   int `json:"limit"`
}

// StoreState is the state of a store. Counts are since it was opened.
type StoreState struct {
	Connections int   `json:"connections"` // for reading, at most
	InUse       int   `json:"in_use"`
	Waits       int64 `json:"waits"` // for a connection
	Commits     int64 `json:"commits"`
	Writes      int64 `json:"writes"` // waiting for their commit
	Hits        int64 `json:"hits"`   // of the cache
	Misses      int64 `json:"misses"`
}

// Window is the number of readings that percentiles are computed over: over a single second they would vary too much
// where requests are few.
const Window = 5

// figures returns the counts between the readings last and now, and the percentiles between before and now.
func figures(now, last, before *reading) *Figures {
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
		if name := telemetry.Other; e != (Ended{}) {
			if i != other {
				name = tpox.Transactions[i].Name
			}
			f.Transactions[name] = e
		}
	}
	f.All.Times = timesOf(&all)
	for i, reason := range telemetry.Reasons {
		if n := now.refusals[i] - last.refusals[i]; n > 0 {
			f.Refused[reason] = n
		}
	}
	return f
}

func timesOf(counts *[buckets]uint32) *Times {
	p := percentiles(counts, .5, .95, .99)
	if p == nil {
		return nil
	}
	return &Times{p[0], p[1], p[2]}
}
