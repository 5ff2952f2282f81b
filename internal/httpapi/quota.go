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

// A quota limits the rate of each client's requests, with a burst of one second's requests. A client is identified by
// its token, or by its address where there are no tokens.
type quota struct {
	perSecond float64 // 0: no limit

	mu      sync.Mutex
	clients map[string]*rate.Limiter
	swept   time.Time
}

// clientsKept limits the memory: from this number on, clients whose burst is full again are removed once a second.
const clientsKept = 10_000

// tooMany returns the refusal of a client that has used up its quota, and may send a request after the wait.
func tooMany(wait time.Duration) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	detail := fmt.Sprintf("the client has used up its quota of requests; retry in %d s", seconds)
	return &refused{kind: kindTooMany, detail: detail, wait: seconds}
}

func (l *quota) take(client string, now time.Time) error {
	if l.perSecond <= 0 {
		return nil
	}
	r := l.of(client, now).ReserveN(now, 1)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return tooMany(wait)
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

// sender returns the name by which the quota counts the request's client.
func (q *request) sender() string {
	if q.client != nil {
		return q.client.Name
	}
	return addressOf(q.Request)
}

// addressOf returns the address of the connection's other end. It ignores headers that claim another, which any client
// could set.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
