package result

import "time"

// Record is one transaction that has ended.
type Record struct {
	At          time.Duration // its end, since measuring began
	Took        time.Duration
	Transaction int // index in the mix
	Outcome     Outcome
	Waiting     bool // it had not ended at the end of the measured time
}

// Outcome is what became of a transaction.
type Outcome struct {
	Class  Class
	Reason string // why it did not succeed: one of a few texts
}

// Class is a kind of outcome.
type Class uint8

// The kinds of outcomes.
const (
	Good       Class = iota
	Expected         // refused for a reason that is part of the workload
	Unexpected       // refused for another reason, or answered wrongly
	Unanswered       // no answer came, or none within the timeout of the request
	Abandoned        // cut off by an early end or, in the closed model, not ended within the measured time
	Empty            // not called: the user had nothing of its own to remove
)

// Done is the outcome of a transaction that did its work.
var Done = Outcome{Class: Good}

// Failed reports whether a transaction was refused, or not answered, for a reason that is not part of the workload.
func (o Outcome) Failed() bool { return o.Class == Unexpected || o.Class == Unanswered }

// The reasons that are not among the domain's.
const (
	Stale    = "stale"
	NoAnswer = "no-answer"
	Timeout  = "timeout"
	NotFound = "404 not-found"
)

// Grace is how long after the end of a run the driver still begins arrivals that wait, and how long it waits for
// answers after an interruption. Transactions that are unfinished then do not count as errors of the target.
const Grace = 10 * time.Second
