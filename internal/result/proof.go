package result

import (
	"fmt"

	"brokerage/internal/format"
)

// Proof is what became of the changes of a run with a ledger. Lost and Twice are the least numbers that explain what
// the database holds.
type Proof struct {
	Verified     bool  `json:"verified"` // with the database; if not, the rest is 0
	Acknowledged int64 `json:"acknowledged"`
	Lost         int64 `json:"lost"`    // of Acknowledged, missing in the database
	Twice        int64 `json:"twice"`   // of Acknowledged, applied more than once
	Unknown      int64 `json:"unknown"` // without an answer,
	Applied      int64 `json:"applied"` // and of these, in the database
}

func (p Proof) String() string {
	return fmt.Sprintf("acknowledged %s, lost %s, applied twice %s, unknown %s (applied %s)", format.Count(p.Acknowledged),
		format.Count(p.Lost), format.Count(p.Twice), format.Count(p.Unknown), format.Count(p.Applied))
}

// Faulty reports whether a change was lost or applied twice.
func (p Proof) Faulty() bool { return p.Lost > 0 || p.Twice > 0 }

// Prove adds a proof to a result, which is INVALID if the proof is faulty.
func (r *Run) Prove(p Proof) {
	r.Proof = &p
	r.Validity = judge(r)
}

// Break is a command that broke the target in the middle of a run.
type Break struct {
	At     float64 `json:"at"`               // seconds since measuring began
	Failed string  `json:"failed,omitempty"` // why the command failed
	// Unanswered reports whether a request remained without an answer. Again is the time in seconds from the beginning of
	// the command until a request succeeded that began after the first one without an answer had ended; 0 if none did.
	Unanswered bool    `json:"unanswered"`
	Again      float64 `json:"againSeconds"`
	Longest    float64 `json:"longestSeconds"` // the longest time of a request that was answered after the command began
}

func (b Break) String() string {
	at := fmt.Sprintf("broken after %.1f s: ", b.At)
	switch {
	case b.Failed != "":
		return at + "the command failed: " + b.Failed
	case !b.Unanswered:
		return fmt.Sprintf("%severy request was answered, within %.1f s", at, b.Longest)
	case b.Again == 0:
		return at + "does not answer again"
	default:
		return fmt.Sprintf("%sanswers again after %.1f s", at, b.Again)
	}
}
