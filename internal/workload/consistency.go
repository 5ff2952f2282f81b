package workload

import (
	"fmt"
	"regexp"
	"strings"
)

// A Consistency says how fresh the answers to a user's queries must be, and so which servers of a service with replicas
// may give them: Primary, Token or stale=TIME.
type Consistency string

const (
	Primary Consistency = ""      // the queries have no header
	Token   Consistency = "token" // a query sends the token of the user's last write, if there is one
	// stale is followed by the greatest age, which each query sends.
	stale = "stale="
)

// ConsistencyForm describes what Check accepts.
const ConsistencyForm = "primary, token, or stale=TIME with a time such as 2s or 500ms"

var consistencies = regexp.MustCompile(`^(token|stale=\d{1,9}(ms|s))?$`)

// Check returns an error for a text that is no Consistency.
func (c Consistency) Check() error {
	if !consistencies.MatchString(string(c)) {
		return fmt.Errorf("the consistency is %q, but must be %s", string(c), ConsistencyForm)
	}
	return nil
}

// header returns the line of the header of each query that does not depend on the user's writes.
func (c Consistency) header() string {
	if age, ok := strings.CutPrefix(string(c), stale); ok {
		return "Max-Staleness: " + age + "\r\n"
	}
	return ""
}
