package httpapi

import (
	"context"
	"regexp"
	"time"

	"brokerage/internal/tpox"
)

// tokenHeader is answered to a write by a service with replicas, and may be sent with a read.
const tokenHeader = "Consistency-Token"

// stalenessForm is the form of the header Max-Staleness.
var stalenessForm = regexp.MustCompile(`^\d{1,9}(ms|s)$`)

// fresh returns the context for a read: q.ctx, unless a header of the request allows an answer from a replica.
func (q *request) fresh() (context.Context, error) {
	tokens, ages := q.Request.Header[tokenHeader], q.Request.Header["Max-Staleness"]
	if len(tokens) == 0 && len(ages) == 0 {
		return q.ctx, nil
	}
	var f tpox.Freshness
	if len(tokens) > 0 {
		var ok bool
		if f.After, ok = tpox.ParseToken(tokens[0]); !ok || len(tokens) > 1 {
			return nil, badRequest("the header %s is not one token of an earlier answer", tokenHeader)
		}
	}
	if len(ages) > 0 {
		if len(ages) > 1 || !stalenessForm.MatchString(ages[0]) {
			return nil, badRequest("the header Max-Staleness is not one time in s or ms, such as 2s or 500ms")
		}
		var err error
		if f.Within, err = time.ParseDuration(ages[0]); err != nil {
			return nil, err
		}
		if f.Within == 0 { // only the primary is that fresh
			return q.ctx, nil
		}
	}
	return tpox.WithFreshness(q.ctx, f), nil
}

// setToken sets the header with the token of a write.
func (q *request) setToken() {
	if q.token != (tpox.Token{}) {
		q.Writer.Header()[tokenHeader] = []string{q.token.String()}
	}
}
