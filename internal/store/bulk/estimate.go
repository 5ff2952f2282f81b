package bulk

import "brokerage/internal/dataset"

// Estimate is how many documents of a kind there are, and the bytes of their
// table, as a server takes it from what it keeps count of by itself: to ask for it
// reads no document.
type Estimate struct {
	Known             bool // that the server has counted them at all
	Documents, Stored int64
}

// Estimates are those of all kinds.
type Estimates [len(dataset.Kinds)]Estimate
