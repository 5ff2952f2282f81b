package httpapi

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// quota bounds how many requests a client may send in a second, over time; in
// one moment it may send as many as in a second. A client is who the token
// names, or, where there are no tokens, the address that the request comes from.
type quota struct {
	perSecond float64 // 0: no bound
	now       func() time.Time

	mu      sync.Mutex
	clients map[string]*rate.Limiter
	swept   time.Time
}

// clientsKept bounds the memory: beyond it, those are forgotten, once a second,
// who may send all again.
const clientsKept = 10_000

// spent is the refusal of a client that has used up what it may.
type spent struct{ wait time.Duration }

func (e *spent) Error() string {
	return fmt.Sprintf("the client has sent all the requests that it may; the next in %d s", e.seconds())
}

func (e *spent) seconds() int { return max(1, int(math.Ceil(e.wait.Seconds()))) }

func (l *quota) take(client string) error {
	if l.perSecond <= 0 {
		return nil
	}
	now := l.now()
	r := l.of(client, now).ReserveN(now, 1)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return &spent{wait}
	}
	return nil
}

func (l *quota) of(client string, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limiter := l.clients[client]; limiter != nil {
		return limiter
	}
	burst := max(1, int(l.perSecond))
	if len(l.clients) >= clientsKept && now.Sub(l.swept) >= time.Second {
		l.swept = now
		for name, limiter := range l.clients {
			if limiter.TokensAt(now) >= float64(burst) {
				delete(l.clients, name)
			}
		}
	}
	if l.clients == nil {
		l.clients = make(map[string]*rate.Limiter)
	}
	limiter := rate.NewLimiter(rate.Limit(l.perSecond), burst)
	l.clients[client] = limiter
	return limiter
}

// sender names who sends a request to the quota.
func (q *request) sender() string {
	if q.client != nil {
		return q.client.Name
	}
	return addressOf(q.Request)
}

// addressOf is the other end of the connection. A header that claims another
// could be anybody's.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
