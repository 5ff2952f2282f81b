package service

import (
	"maps"
	"sync"
)

// reloads holds whether the last attempt to read something again failed: tokens, keys or the certificate.
type reloads struct {
	mutex  sync.Mutex
	failed map[string]bool
}

// note notes how the last attempt ended.
func (r *reloads) note(what string, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.failed == nil {
		r.failed = make(map[string]bool)
	}
	r.failed[what] = err != nil
}

// all returns what is read again, and whether the last attempt failed.
func (r *reloads) all() map[string]bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return maps.Clone(r.failed)
}
