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

// Times of a keyring.
const (
	// refreshEvery is how soon a key that was withdrawn counts no more.
	refreshEvery = 5 * time.Minute
	// askAgainAfter bounds what tokens with invented key ids make us ask.
	askAgainAfter = 10 * time.Second
	// answerWithin bounds how long the answer, and a client with a new key, waits.
	answerWithin = 3 * time.Second
)

// maxKeySet bounds what is read: a hundred keys take less.
const maxKeySet = 1 << 20

// keyring holds the keys of an issuer, as they were had last.
type keyring struct {
	fetch   func(context.Context) ([]byte, error)
	file    *filewatch.Files // nil: from a URL
	algs    []string
	maxAge  time.Duration
	now     func() time.Time
	told    func(keys int, err error)
	current atomic.Pointer[heldKeys]

	mu     sync.Mutex
	asked  time.Time       // when somebody last asked, in vain or not
	asking <-chan struct{} // closed at the end of the refresh under way; nil: there is none
}

type heldKeys struct {
	set keySet
	had time.Time
}

// find gives a key. One that is not there may be new, so the issuer is asked, but not more often than every
// askAgainAfter; all who wait, wait for the same answer.
func (k *keyring) find(ctx context.Context, id string) (verificationKey, bool) {
	held := k.valid()
	if key, ok := held.find(id); ok {
		return key, true
	}
	// It is everybody's, so it does not end with one request.
	if done, _ := k.refresh(context.WithoutCancel(ctx), askAgainAfter); done != nil {
		select {
		case <-done:
		case <-ctx.Done():
		}
	}
	return k.valid().find(id)
}

// valid are the keys, unless they were had so long ago that one of them may have been withdrawn since for all we know.
func (k *keyring) valid() keySet {
	held := k.current.Load()
	if held == nil || k.now().Sub(held.had) > k.maxAge {
		return nil
	}
	return held.set
}

// refresh begins to fetch the keys, unless that is under way or was done less than pause ago. It returns what is closed
// at the end of the refresh under way, nil if there is none, and whether this call has begun it.
func (k *keyring) refresh(ctx context.Context, pause time.Duration) (done <-chan struct{}, begun bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asking != nil || pause > 0 && k.now().Sub(k.asked) < pause {
		return k.asking, false
	}
	k.asked = k.now()
	end := make(chan struct{})
	k.asking = end
	go func() {
		k.fetchKeys(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.asking = nil
		close(end)
	}()
	return end, true
}

// fetchKeys gets the keys; those of before go on to count where that fails.
func (k *keyring) fetchKeys(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	text, err := k.fetch(ctx)
	var set keySet
	if err == nil {
		set, err = parseKeys(text, k.algs)
	}
	if err == nil {
		k.current.Store(&heldKeys{set, k.now()})
	}
	k.told(len(set), err)
}

// refreshNow fetches the keys after a refresh that may be under way, and returns when that is done or ctx is.
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

// watch keeps the keys fresh until ctx is done. A file is read again when it has changed, and in between counts as had
// anew, since it is there.
func (k *keyring) watch(ctx context.Context, look time.Duration) {
	if k.file != nil {
		k.file.Watch(ctx, look, func() { k.refreshNow(ctx) })
		return
	}
	tick := time.NewTicker(refreshEvery)
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
		return bounded(file)
	}
}

func fromURL(address string, transport http.RoundTripper) func(context.Context) ([]byte, error) {
	client := &http.Client{
		Transport: transport,
		// What is trusted is the address that was configured, and not where it leads.
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
		return bounded(response.Body)
	}
}

func bounded(from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxKeySet+1))
	if err == nil && len(text) > maxKeySet {
		err = errors.New("it is too large for a set of keys")
	}
	return text, err
}

// checkKeysURL refuses an address from which anybody on the way could send keys.
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
		return errors.New("it must be https, since who can change the keys can make tokens")
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
