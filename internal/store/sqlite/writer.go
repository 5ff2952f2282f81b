package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"brokerage/internal/brokerage"
	"brokerage/internal/store/tally"
	"brokerage/internal/store/trace"
)

// maxGroup bounds how many transactions share a commit, and so how long the
// first of them waits for the last.
const maxGroup = 256

// writer is the one goroutine that writes. Transactions that wait together are
// done together: one commit and one flush for all. One that is refused leaves
// its neighbours alone: either it has changed nothing by then, or it has set a
// savepoint. The busier the store, the larger the groups, without anyone waiting
// for company.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	queue chan *job
	quit  chan struct{}
	ended chan struct{}
	stop  sync.Once

	next *job // taken from the queue, but for after the group

	gone atomic.Pointer[brokerage.Unavailable] // why nothing is written now; nil while the files are there

	waiting atomic.Int64 // transactions in the queue or in a group
	groups  atomic.Int64 // commits so far
	busy    atomic.Int64 // with groups, in nanoseconds
	sizes   *tally.Tally // of groups
	commits *tally.Tally // how long they took, in seconds
	pages   pageReads
	status  sqlite.DBStatus // of conn
	census  *census
	change  change // that the group under way makes
	trace   trace.Begin
	changes *changes

	// keepSnapshots tells the readers whether they may: a snapshot keeps the
	// journal from being emptied.
	keepSnapshots func(bool)
	journalPages  int
	emptying      bool // the journal; no snapshots are kept

	// afterJob lets tests look into the middle of a group.
	afterJob func(*job)
}

// connection is the one that writes.
type connection = sql.Conn

// controls are the statements that are the writer's own.
var controls = []string{"BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT job", "ROLLBACK TO job", "RELEASE job", journalLength, moveJournal}

const (
	journalLength = "PRAGMA wal_checkpoint(NOOP)"
	moveJournal   = "PRAGMA wal_checkpoint(PASSIVE)"
)

// job is a transaction in the queue. Its context bounds the wait there; once
// it is begun it runs to the commit, and its outcome is told as it is.
type job struct {
	ctx context.Context          //nolint:containedctx // of the request, which goes into the queue with it
	do  func(*transaction) error // again after a rollback, so it keeps nothing from the time before
	// alone is instead of do: it is run between groups, outside of a transaction.
	alone func(*connection) error
	err   error
	done  chan struct{}
}

func newWriter(conn *sql.Conn, stmts map[string]*sql.Stmt, readers *readers, census *census, begin trace.Begin) *writer {
	w := &writer{
		conn:          conn,
		stmts:         stmts,
		queue:         make(chan *job),
		changes:       readers.changes,
		keepSnapshots: readers.keepSnapshots,
		sizes:         newSizes(),
		commits:       newCommits(),
		census:        census,
		status:        statusOf(conn),
		trace:         begin,
		journalPages:  journalPages,
		quit:          make(chan struct{}),
		ended:         make(chan struct{}),
	}
	go w.run()
	return w
}

var errClosed = &brokerage.Unavailable{Cause: errors.New("the store is closed")}

// write does a transaction and returns after its commit is on disk.
func (w *writer) write(ctx context.Context, do func(*transaction) error) error {
	if gone := w.gone.Load(); gone != nil {
		return gone
	}
	j := &job{ctx: ctx, do: do, done: make(chan struct{})}
	w.waiting.Add(1)
	defer w.waiting.Add(-1)
	select {
	case w.queue <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.quit:
		return errClosed
	}
	<-j.done
	return j.err
}

func (w *writer) close() {
	w.stop.Do(func() { close(w.quit) })
	<-w.ended
}

func (w *writer) run() {
	defer close(w.ended)
	group := make([]*job, 0, maxGroup)
	for {
		group = group[:0]
		select {
		case j := <-w.queue:
			group = append(group, j)
		case <-w.quit:
			return
		}
		for w.group(group); w.next != nil; w.group(group) {
			group = append(group[:0], w.next)
			w.next = nil
		}
	}
}

// group does first and all that come while it is being done, and answers them.
func (w *writer) group(group []*job) {
	if j := group[0]; j.alone != nil {
		w.keepSnapshots(false)
		j.err = j.alone(w.conn)
		w.changes.unknown()
		w.changes.ended()
		w.keepSnapshots(!w.emptying)
		close(j.done)
		return
	}
	began := time.Now()
	defer func() { w.busy.Add(int64(time.Since(began))) }()
	w.change = change{}
	group, err := w.members(group)
	kept := group
	if errors.Is(err, errNoWayBack) {
		kept = group[:len(group)-1] // without the last one, which has its own error
		err = w.again(kept)
	}
	if err == nil && len(kept) > 0 {
		err = w.commit(kept)
	}
	w.changes.ended()
	if err != nil {
		// Nothing of the group is kept: the database refused, not a member. It
		// may have rolled back by itself, and then has nothing to roll back.
		_ = w.exec("ROLLBACK")
		w.emptyJournal() // it may be what fills the disk
		for _, j := range kept {
			j.err = domainError(err)
		}
	}
	for _, j := range group {
		close(j.done)
	}
	w.mindJournal()
}

// members does a group and all that come while it is being done, up to maxGroup.
func (w *writer) members(group []*job) ([]*job, error) {
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return group, err
	}
	for i := 0; i < len(group); i++ {
		if err := w.one(group[i], false); err != nil {
			return group, err
		}
		if len(group) == maxGroup {
			continue
		}
		switch j := w.another(i+1 == len(group)); {
		case j == nil:
		case j.alone != nil:
			w.next = j
			return group, nil
		default:
			group = append(group, j)
		}
	}
	return group, nil
}

// errNoWayBack is that a transaction has failed after it had changed something,
// without a savepoint, or by an error of the database.
var errNoWayBack = errors.New("a transaction can only be rolled back with its group")

// again rolls back a group whose last member can be rolled back in no other way,
// and does the others again, each with a savepoint. One that is refused now is
// refused alone; another error of the database is of all.
func (w *writer) again(group []*job) (err error) {
	w.change = change{}
	_ = w.exec("ROLLBACK") // SQLite may have done it by itself; if it cannot be done, nor can the next
	w.emptyJournal()       // it may be what fills the disk
	if len(group) > 0 {
		err = w.exec("BEGIN IMMEDIATE")
	}
	for i := 0; err == nil && i < len(group); i++ {
		err = w.one(group[i], true)
	}
	return err
}

// commit ends a group.
func (w *writer) commit(group []*job) (err error) {
	if w.trace != nil {
		// The commit is one, and each of the transactions waits for it.
		ends := make([]func(error), len(group))
		for i, j := range group {
			ends[i] = w.trace(j.ctx, "commit")
		}
		defer func() {
			for _, end := range ends {
				end(err)
			}
		}()
	}
	began := time.Now()
	if err := w.exec("COMMIT"); err != nil {
		return err
	}
	w.groups.Add(1)
	w.sizes.Add(float64(len(group)))
	w.commits.Add(time.Since(began).Seconds())
	w.census.add(w.change)
	return nil
}

// company is how often the writer lets others run before it commits. Whoever is
// ready to run may have something to write, and then shares the commit; where
// nobody is, it takes no time. With fifty clients on two processors groups become
// twice as large by it.
const company = 4

// another gives a job that waits in the queue, or nil. At the end of a group it
// lets others come first.
func (w *writer) another(last bool) *job {
	for i := 0; ; i++ {
		select {
		case j := <-w.queue:
			return j
		default:
		}
		if !last || i == company {
			return nil
		}
		runtime.Gosched()
	}
}

const (
	// journalPages is when SQLite begins to move the journal into the file.
	journalPages = 4000
	// journalGroups is how often its length is looked at.
	journalGroups = 16
)

// mindJournal keeps the journal from growing. SQLite moves it into the file as
// it commits, but begins anew only when nobody reads a snapshot that is in it: so
// when it is long, no snapshots are kept until it has.
func (w *writer) mindJournal() {
	if !w.emptying && w.groups.Load()%journalGroups != 0 {
		return
	}
	var busy, pages, moved int
	if err := w.stmts[journalLength].QueryRowContext(context.Background()).Scan(&busy, &pages, &moved); err != nil {
		return // the next commit will say what is wrong
	}
	w.pages.look(w.status)
	if long := pages >= w.journalPages; long != w.emptying {
		w.emptying = long
		w.keepSnapshots(!long)
	}
}

// emptyJournal moves what is in the journal into the file, as far as there is
// room, so that the next commit writes over it instead of behind it.
func (w *writer) emptyJournal() {
	w.keepSnapshots(false)
	_ = w.exec(moveJournal) // it is tried: the group has failed already
	w.keepSnapshots(!w.emptying)
}

// one does a member of a group, if it is careful with a savepoint. An error of the
// member is the member's; one that it returns is of the whole group.
func (w *writer) one(j *job, careful bool) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil //nolint:nilerr // not begun: it gave up while it was waiting, which is no fault of the group
	}
	t := &transaction{w: w, job: j}
	if careful {
		if err := t.mayRefuse(); err != nil {
			return err
		}
	}
	err := protected(j, t)
	j.err = rolledBack(domainError(err))
	if w.afterJob != nil {
		w.afterJob(j)
	}
	if j.err == nil {
		w.change.add(t.change)
	}
	switch {
	case spoilsGroup(err) && careful:
		return err
	case spoilsGroup(err), err != nil && t.changed && !t.savepoint:
		return errNoWayBack
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

// protected keeps a panic in one transaction from ending the writer.
func protected(j *job, t *transaction) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	return j.do(t)
}

// exec runs a statement without arguments. Never with a request's context: an
// interrupt would roll back all of the group.
func (w *writer) exec(statement string) error {
	_, err := w.stmts[statement].ExecContext(context.Background())
	return err
}

// transaction is what a job may do with the database.
type transaction struct {
	w         *writer
	job       *job
	changed   bool
	savepoint bool
	change    change
	replaced  int // bytes of the document, as stored, in whose place another is put
}

// mayRefuse is for a transaction that may return an error after it has changed
// something: what it changes from here on is then taken back. Without it, such
// an error rolls back the whole group, whose other members are then done again. (A
// savepoint makes SQLite copy each page that is changed; most transactions look
// first, and then need none.)
func (t *transaction) mayRefuse() error {
	if t.savepoint {
		return nil
	}
	t.savepoint = true
	return t.w.exec("SAVEPOINT job")
}
