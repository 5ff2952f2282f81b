package tally

// A Server is what a database server counts itself, for all its clients, at one moment.
type Server struct {
	Figures    map[string]float64 // counters have names that end in _total
	Pools      []Pool
	Statements []Statement
	Missing    []string // what the server does not count or does not show to this user, with the reason
}

// A Pool counts the page hits and misses of a part of a database's own cache, or of one kind of pages.
type Pool struct {
	Name   string `json:"name"`
	Hits   int64  `json:"hits"`
	Misses int64  `json:"misses"`
}

// A Statement is what a server counts of a statement.
type Statement struct {
	Name    string  `json:"name,omitempty"` // of the store's statement with this text, if it is one
	Text    string  `json:"text"`
	Calls   int64   `json:"calls"`
	Seconds float64 `json:"seconds"` // in the server, all calls together
	Rows    int64   `json:"rows"`
}

// Since returns what a server has counted since an earlier moment: pools and statements that were used meanwhile. The
// figures are those of the later moment.
func (s Server) Since(before Server) Server {
	pools := make(map[string]Pool, len(before.Pools))
	for _, p := range before.Pools {
		pools[p.Name] = p
	}
	statements := make(map[string]Statement, len(before.Statements))
	for _, t := range before.Statements {
		statements[t.Text] = t
	}
	since := Server{Figures: s.Figures, Missing: s.Missing}
	for _, p := range s.Pools {
		was := pools[p.Name]
		if p.Hits, p.Misses = p.Hits-was.Hits, p.Misses-was.Misses; p.Hits >= 0 && p.Misses >= 0 && p.Hits+p.Misses > 0 {
			since.Pools = append(since.Pools, p)
		}
	}
	for _, t := range s.Statements {
		was := statements[t.Text]
		t.Calls, t.Seconds, t.Rows = t.Calls-was.Calls, t.Seconds-was.Seconds, t.Rows-was.Rows
		if t.Calls > 0 && t.Seconds >= 0 {
			since.Statements = append(since.Statements, t)
		}
	}
	return since
}
