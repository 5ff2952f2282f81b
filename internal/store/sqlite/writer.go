package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"brokerage/internal/store"
	"brokerage/internal/tpox"
)

// groupTime is how long a running group accepts transactions from the queue. It bounds how long the first of them waits
// for the commit.
const groupTime = 10 * time.Millisecond

// A writer is the one goroutine that writes. It runs the transactions that wait in the queue as a group, with one
// commit and one flush for all, so groups grow with the load and no transaction waits for others to arrive. A refused
// transaction does not affect its group: it changed nothing, or had a savepoint, or redo runs the others again.
type writer struct {
	session

	queue chan *job
	quit  chan struct{}
	runs  sync.WaitGroup
	stop  sync.Once

	next *job // already taken from the queue, for after the group

	misplaced atomic.Pointer[tpox.Unavailable] // why writes are refused; nil while the files are in place

	began  atomic.Pointer[time.Time] // the beginning of the first write that failed or waits since the last success
	failed atomic.Pointer[error]     // the error of the last attempt to write, since the last success
	wrote  bool                      // whether the current group has changed something

	waiting atomic.Int64     // transactions in the queue or in a group
	groups  atomic.Int64     // commits so far
	busy    atomic.Int64     // time spent on groups, in nanoseconds
	sizes   *store.Histogram // transactions of a group
	commits *store.Histogram // seconds
	pages   pageReads
	change  change // of the census, by the current group
	store   *Store
	changes *changes

	journalPages int
	emptying     bool // the journal is too long, and no snapshots are kept
}

// controls are the writer's own statements.
var controls = []string{
	"BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT job", "ROLLBACK TO job", "RELEASE job", journalLength, moveJournal,
}

const (
	journalLength = "PRAGMA wal_checkpoint(NOOP)"
	moveJournal   = "PRAGMA wal_checkpoint(PASSIVE)"
)

// A job is a transaction in the queue. Its context bounds the wait there; once begun, it runs to the commit.
type job struct {
	ctx context.Context          //nolint:containedctx // of the request, which goes into the queue with it
	do  func(*transaction) error // called again after a rollback
	// exclusive is called instead of do, between groups and outside of a transaction.
	exclusive func(*sql.Conn) error
	err       error
	done      chan struct{}
}

// newWriter returns the writer of a store, whose readers must exist. After an error, the writer is closed.
func newWriter(ctx context.Context, s *Store) (*writer, error) {
	w := &writer{
		queue:   make(chan *job),
		quit:    make(chan struct{}),
		store:   s,
		changes: s.readers.changes,
		sizes:   store.NewHistogram(1, 2, 4, 8, 16, 32, 64, 128, 256),
		commits: store.NewHistogram(
			.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10),
		journalPages: journalPages,
	}
	texts := maps.Clone(statementTexts)
	for _, control := range controls {
		texts[control] = control
	}
	err := w.prepare(ctx, s.writing, texts)
	if err == nil {
		_, err = w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 0") // see begin
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.runs.Go(w.run)
	return w, nil
}

var errClosed = &tpox.Unavailable{Cause: errors.New("the store is closed")}

// write runs a transaction and returns when its commit is on disk.
func (w *writer) write(ctx context.Context, do func(*transaction) error) error {
	if misplaced := w.misplaced.Load(); misplaced != nil {
		return misplaced
	}
	w.waiting.Add(1)
	defer w.waiting.Add(-1)
	return w.enqueue(&job{ctx: ctx, do: do})
}

// enqueue puts a job in the queue and waits until it is done. The job's context bounds the wait in the queue.
func (w *writer) enqueue(j *job) error {
	j.done = make(chan struct{})
	select {
	case w.queue <- j:
	case <-j.ctx.Done():
		return j.ctx.Err()
	case <-w.quit:
		return errClosed
	}
	<-j.done
	return j.err
}

// close ends the goroutine and closes the connection with its statements. A second call does nothing.
func (w *writer) close() (err error) {
	w.stop.Do(func() {
		close(w.quit)
		w.runs.Wait()
		err = w.session.close()
	})
	return err
}

func (w *writer) run() {
	group := make([]*job, 0, 256)
	for {
		select {
		case j := <-w.queue:
			group = append(group[:0], j)
		case <-w.quit:
			return
		}
		for w.group(group); w.next != nil; w.group(group) {
			group = append(group[:0], w.next)
			w.next = nil
		}
	}
}

// group runs and commits a group, which grows while it runs, and reports the outcome to each member.
func (w *writer) group(group []*job) {
	if j := group[0]; j.exclusive != nil {
		w.store.readers.keepSnapshots(false)
		j.err = j.exclusive(w.conn)
		w.changes.noteAll()
		w.changes.endGroup()
		w.store.readers.keepSnapshots(!w.emptying)
		close(j.done)
		return
	}
	began := time.Now()
	defer func() { w.busy.Add(int64(time.Since(began))) }()
	first := w.began.CompareAndSwap(nil, &began)
	w.change, w.wrote = change{}, false
	group, err := w.members(group)
	kept := group
	if errors.Is(err, errNeedsRollback) {
		kept = group[:len(group)-1] // without the last one, which has its own error
		err = w.redo(kept)
	}
	if err == nil && len(kept) > 0 {
		err = w.commit(kept)
	}
	w.changes.endGroup()
	switch {
	case err != nil:
		w.failed.Store(&err)
		// The database failed, not a member, so nothing of the group is kept. SQLite may have rolled back already.
		_ = w.exec("ROLLBACK")
		w.emptyJournal() // the journal may be what fills the disk
		for _, j := range kept {
			j.err = domainError(err)
		}
	case first || w.wrote:
		w.began.Store(nil)
		w.failed.Store(nil)
	}
	for _, j := range group {
		close(j.done)
	}
	w.limitJournal()
}

// members runs the transactions of a group, and adds those that arrive in the queue within groupTime.
func (w *writer) members(group []*job) ([]*job, error) {
	if err := w.begin(group); err != nil {
		return group, err
	}
	began := time.Now()
	for i := 0; i < len(group); i++ {
		if err := w.do(group[i], false); err != nil {
			return group, err
		}
		if time.Since(began) >= groupTime {
			continue
		}
		switch j := w.dequeue(i+1 == len(group)); {
		case j == nil:
		case j.exclusive != nil:
			w.next = j
			return group, nil
		default:
			group = append(group, j)
		}
	}
	return group, nil
}

const (
	// busyTimeout is how long the store waits for a lock of another process.
	busyTimeout = 10 * time.Second
	// busyEvery is how often the writer tries to get that lock.
	busyEvery = 10 * time.Millisecond
)

// begin begins the transaction of a group. While another process holds the lock for writing, it tries again until the
// contexts of all members have ended, or for busyTimeout. SQLite's own waiting would outlast the contexts.
func (w *writer) begin(group []*job) error {
	for began := time.Now(); ; {
		err := w.exec("BEGIN IMMEDIATE")
		if codeOf(err)&0xFF != sqlite3.SQLITE_BUSY {
			return err
		}
		w.failed.Store(&err)
		waits := slices.ContainsFunc(group, func(j *job) bool { return j.ctx.Err() == nil })
		if !waits || time.Since(began) > busyTimeout {
			return err
		}
		select {
		case <-time.After(busyEvery):
		case <-w.quit:
			return err
		}
	}
}

// unwritten returns how long nothing could be written: the age of the first write that failed or waits since the
// last success, or 0 if there is none.
func (w *writer) unwritten() time.Duration {
	if began := w.began.Load(); began != nil {
		return time.Since(*began)
	}
	return 0
}

// probe writes 64 KiB, and deletes them, if nothing could be written for a second: a store that is not ready gets no
// requests that would find out that it can write again.
func (w *writer) probe(ctx context.Context) {
	if w.unwritten() < watchEvery {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, watchEvery)
	defer cancel()
	const name = "probe"
	err := w.write(ctx, func(t *transaction) error { return t.set(name, strings.Repeat("x", 64<<10)) })
	if err == nil {
		_ = w.write(ctx, func(t *transaction) error { // if it fails, the next probe deletes them
			_, err := t.exec(deleteSetting, name)
			return err
		})
	}
}

// errNeedsRollback says that a transaction failed after it had changed something without a savepoint, or by an error of
// the database.
var errNeedsRollback = errors.New("a transaction can only be rolled back with its group")

// redo rolls back a group because its last member failed, and runs the other members again. Each now has a savepoint,
// so that another refusal undoes that member alone. An error of the database itself fails all of them.
func (w *writer) redo(group []*job) (err error) {
	w.change = change{}
	_ = w.exec("ROLLBACK") // SQLite may have done it already; if it fails, the next statement fails too
	w.emptyJournal()       // the journal may be what fills the disk
	if len(group) > 0 {
		err = w.begin(group)
	}
	for i := 0; err == nil && i < len(group); i++ {
		err = w.do(group[i], true)
	}
	return err
}

// commit commits the transaction of a group and counts it.
func (w *writer) commit(group []*job) error {
	var ends []func(error)
	if trace := w.store.options.Trace; trace != nil {
		for _, j := range group {
			ends = append(ends, trace(j.ctx, "commit", nil)) // each waits for the one commit
		}
	}
	began := time.Now()
	err := w.exec("COMMIT")
	took := time.Since(began)
	for _, end := range ends {
		end(err)
	}
	if err == nil {
		w.groups.Add(1)
		w.sizes.Add(float64(len(group)))
		w.commits.Add(took.Seconds())
		c := &w.store.census
		c.mu.Lock()
		c.changed.add(w.change)
		c.mu.Unlock()
	}
	return err
}

// commitYields is how often the writer yields the processor before it commits, so that goroutines that are ready to run
// can queue a write and share the commit. With fifty clients on two processors that doubles the size of groups; with
// no other goroutine it takes no time.
const commitYields = 4

// dequeue returns a job from the queue, or nil. After the last job of a group, it yields before it returns nil.
func (w *writer) dequeue(last bool) *job {
	for i := 0; ; i++ {
		select {
		case j := <-w.queue:
			return j
		default:
		}
		if !last || i == commitYields {
			return nil
		}
		runtime.Gosched()
	}
}

const (
	// journalPages is the default length at which SQLite moves the journal into the file.
	journalPages = 4000
	// journalGroups is the number of groups between two readings of the length while the journal is short.
	journalGroups = 16
)

// limitJournal keeps the journal from growing. SQLite moves it into the file at commits, but restarts it only when no
// connection reads a snapshot in it. So while it is long, no snapshots are kept.
func (w *writer) limitJournal() {
	if !w.emptying && w.groups.Load()%journalGroups != 0 {
		return
	}
	var busy, pages, moved int64
	if err := w.row(context.Background(), journalLength, nil, []any{&busy, &pages, &moved}); err != nil {
		return // the next commit fails too
	}
	w.pages.add(w.status)
	if long := int(pages) >= w.journalPages; long != w.emptying {
		w.emptying = long
		w.store.readers.keepSnapshots(!long)
	}
}

// emptyJournal moves the journal into the file as far as there is room, so that the next commit overwrites it instead
// of making it longer.
func (w *writer) emptyJournal() {
	w.store.readers.keepSnapshots(false)
	_ = w.exec(moveJournal) // the group has failed already
	w.store.readers.keepSnapshots(!w.emptying)
}

// do runs a member of a group, with or without a savepoint. It stores the member's own error, and returns an error that
// concerns the whole group.
func (w *writer) do(j *job, savepoint bool) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil //nolint:nilerr // the caller gave up while it waited: an error of this member alone
	}
	t := &transaction{w: w, job: j}
	if savepoint {
		if err := t.setSavepoint(); err != nil {
			return err
		}
	}
	err := func() (err error) {
		defer func() { // a panic must not end the writer
			if p := recover(); p != nil {
				err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
			}
		}()
		return j.do(t)
	}()
	j.err = domainError(err)
	if err != nil && !tpox.IsDomainError(j.err) &&
		!errors.Is(j.err, context.Canceled) && !errors.Is(j.err, context.DeadlineExceeded) {
		j.err = &tpox.RolledBack{Err: j.err}
	}
	if j.err == nil {
		w.change.add(t.change)
		w.wrote = w.wrote || t.changed
	}
	code := codeOf(err)
	ofDatabase := code != 0 && code&0xFF != sqlite3.SQLITE_CONSTRAINT // such as a full disk
	switch {
	case ofDatabase && savepoint:
		return err
	case ofDatabase, err != nil && t.changed && !t.savepoint:
		return errNeedsRollback
	case t.savepoint:
		if j.err != nil {
			if err := w.exec("ROLLBACK TO job"); err != nil {
				return err
			}
		}
		return w.exec("RELEASE job")
	}
	return nil
}

// exec runs one of the controls.
func (w *writer) exec(control string) error {
	_, err := w.execute(control)
	return err
}

// A transaction runs the statements of a job.
type transaction struct {
	w         *writer
	job       *job
	changed   bool
	savepoint bool
	change    change
	replaced  int64 // bytes of the packed document that the next statement replaces or removes
}

// setSavepoint lets the later changes of this transaction be rolled back alone if it fails. Without a savepoint, an
// error after a change rolls back the whole group, and the other members run again. A savepoint makes SQLite copy each
// page that is changed, so a transaction that can check everything before its first change sets none.
func (t *transaction) setSavepoint() error {
	if t.savepoint {
		return nil
	}
	t.savepoint = true
	return t.w.exec("SAVEPOINT job")
}
