package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"brokerage/internal/filewatch"
	"brokerage/internal/redact"
)

// Intervals and timeouts of a keyring.
const (
	// refreshInterval is how long a withdrawn key may stay valid.
	refreshInterval = 5 * time.Minute
	// minRefreshPause bounds the requests that tokens with invented key ids cause.
	minRefreshPause = 10 * time.Second
	// fetchTimeout bounds how long a refresh takes, and hence how long a client with a new key waits.
	fetchTimeout = 3 * time.Second
)

// maxKeySetBytes bounds what is read: a hundred keys take less.
const maxKeySetBytes = 1 << 20

// keyring holds the keys of an issuer as of the last refresh.
type keyring struct {
	fetch     func(context.Context) ([]byte, error)
	file      *filewatch.Files // nil: from a URL
	algs      []string
	maxAge    time.Duration
	now       func() time.Time
	refreshed func(keys int, err error)
	current   atomic.Pointer[heldKeys]

	mu      sync.Mutex
	started time.Time       // of the last refresh, successful or not
	running <-chan struct{} // closed at the end of the running refresh; nil: there is none
}

type heldKeys struct {
	set     keySet
	fetched time.Time
}

// find returns a key. An unknown one may be new, so it causes a refresh, but at most one in minRefreshPause; concurrent
// callers wait for the same refresh.
func (k *keyring) find(ctx context.Context, id string) (verificationKey, bool) {
	held := k.valid()
	if key, ok := held.find(id); ok {
		return key, true
	}
	// The refresh serves all callers, so it does not end with one request.
	if done, _ := k.refresh(context.WithoutCancel(ctx), minRefreshPause); done != nil {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
	return k.valid().find(id)
}

// valid returns the keys, unless they are older than maxAge: then one of them may have been withdrawn.
func (k *keyring) valid() keySet {
	held := k.current.Load()
	if held == nil || k.now().Sub(held.fetched) > k.maxAge {
		return nil
	}
	return held.set
}

// refresh starts to fetch the keys, unless that is running or was started less than pause ago. It returns a channel
// that is closed at the end of the running refresh, nil if there is none, and whether this call has started it.
func (k *keyring) refresh(ctx context.Context, pause time.Duration) (done <-chan struct{}, begun bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running != nil || pause > 0 && k.now().Sub(k.started) < pause {
		return k.running, false
	}
	k.started = k.now()
	end := make(chan struct{})
	k.running = end
	go func() {
		k.fetchKeys(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running = nil
		close(end)
	}()
	return end, true
}

// fetchKeys fetches the keys; the old ones stay if that fails.
func (k *keyring) fetchKeys(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	text, err := k.fetch(ctx)
	var set keySet
	if err == nil {
		set, err = parseKeys(text, k.algs)
	}
	if err == nil {
		k.current.Store(&heldKeys{set, k.now()})
	}
	k.refreshed(len(set), err)
}

// refreshNow fetches the keys, after a refresh that may be running, and returns when that is done or ctx is.
func (k *keyring) refreshNow(ctx context.Context) {
	for begun := false; !begun; {
		var done <-chan struct{}
		done, begun = k.refresh(ctx, 0)
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// watch refreshes the keys until ctx is done: at an interval from a URL, after each change of a file.
func (k *keyring) watch(ctx context.Context, look time.Duration) {
	if k.file != nil {
		k.file.Watch(ctx, look, func() { k.refreshNow(ctx) })
		return
	}
	tick := time.NewTicker(refreshInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			k.refreshNow(ctx)
		}
	}
}

func fromFile(path string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) {
		file, _, err := openFile(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // only read
		return readAtMost(file, maxKeySetBytes, "set of keys")
	}
}

func fromURL(address string, transport http.RoundTripper) func(context.Context) ([]byte, error) {
	client := &http.Client{
		Transport: transport,
		// The configured address is trusted, and no other that it redirects to.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return nil, redact.Error(err)
		}
		defer func() { _ = response.Body.Close() }() // only read
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s", redact.URL(address), response.Status)
		}
		return readAtMost(response.Body, maxKeySetBytes, "set of keys")
	}
}

// readAtMost reads all of from. It returns an error if there are more than most bytes; what is the name of the data in
// the error.
func readAtMost(from io.Reader, most int64, what string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(text)) > most {
		err = errors.New("it is too large for a " + what)
	}
	return text, err
}

// checkKeysURL refuses a URL whose response others on the network could forge.
func checkKeysURL(address string) error {
	u, err := redact.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return errors.New("it is not a URL")
	case u.User != nil:
		return errors.New("it must not hold a password")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	default:
		return errors.New("it must be https, since whoever can change the keys can make tokens")
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
