package workload

import (
	"math/rand/v2"
	"sync"

	"brokerage/internal/tpox"
)

// The values of Definition.NewDocuments.
const (
	// OwnDocuments are read and changed by nobody: the user that has inserted them deletes some.
	OwnDocuments = "own"
	// SharedDocuments are drawn by the queries and updates of all users, as in the papers.
	SharedDocuments = "shared"
)

// sharedIDs are the ids of inserted documents of a kind, which all users draw. A nil *sharedIDs has none.
type sharedIDs struct {
	sync.Mutex

	ids []tpox.ID
	at  map[tpox.ID]int // index in ids
}

func (n *sharedIDs) add(id tpox.ID) {
	if n != nil {
		n.Lock()
		defer n.Unlock()
		n.at[id] = len(n.ids)
		n.ids = append(n.ids, id)
	}
}

// remove removes the id of a document that will be deleted, so that only requests in progress fail to find it.
func (n *sharedIDs) remove(id tpox.ID) {
	if n == nil {
		return
	}
	n.Lock()
	defer n.Unlock()
	if i, ok := n.at[id]; ok {
		last := len(n.ids) - 1
		n.ids[i] = n.ids[last]
		n.at[n.ids[i]] = i
		n.ids = n.ids[:last]
		delete(n.at, id)
	}
}

// pick draws one of all documents, each equally likely, and returns its id if it is a new one, or else false.
func (n *sharedIDs) pick(r *rand.Rand, inDataset int64) (id tpox.ID, isNew bool) {
	if n == nil {
		return 0, false
	}
	n.Lock()
	defer n.Unlock()
	i := r.Int64N(inDataset + int64(len(n.ids)))
	if i < inDataset {
		return 0, false
	}
	return n.ids[i-inDataset], true
}
