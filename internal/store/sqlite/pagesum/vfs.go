package pagesum

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	libctypes "modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// VFS is the name of this layer in SQLite, for the parameter vfs of a connection. The parameter [Parameter] says
// whether the pages of a database have checksums (1) or not (0). Without it the first page says so, and a new database
// gets checksums.
const (
	VFS       = "pagesum"
	Parameter = "sums"
)

// SQLite represents an open file by memory that begins with the address of its methods. The file of the VFS below comes
// first, followed by the state of this layer. So all methods that are not replaced are the originals, and get the
// memory that they expect.
//
// Addresses are those of C as modernc.org/sqlite emulates it: they point into memory of its own allocator, which never
// moves, so arithmetic on them is safe. A function is passed as in modernc.org/sqlite/vfs: by the address of its
// description.
type file struct {
	original uintptr // methods of the VFS below
	name     uintptr // SQLite keeps it for as long as the file is open
	journal  bool
	sums     bool // of a database: its pages have checksums

	// unsealed is the offset of the first frame of a journal without checksums: a transaction may still overwrite a page
	// in its frame, and computes the checksums when it commits. Only the connection that writes reads these frames.
	unsealed int64
	header   int64 // where the last header of a frame was written

	// Memory for reading and writing several parts of a journal by one system call; none until it is needed.
	room     uintptr
	roomSize int32

	// Frames that are held back, in room; see hold.
	heldAt   int64 // their offset
	heldSize int32
	commits  bool  // the last header was of the last frame of a transaction
	whole    int64 // the offset of the last frame that was read with its header; -1 for none
}

var (
	below     *sqlite3.Tsqlite3_vfs
	layer     *sqlite3.Tsqlite3_vfs
	parameter *[len(Parameter) + 1]byte // with the zero at its end
)

// methods holds the tables of methods that this layer has replaced, by the addresses of the original tables.
var methods struct {
	sync.Mutex
	of map[uintptr]*sqlite3.Tsqlite3_io_methods
}

func init() {
	tls := libc.NewTLS() // never closed, like the registration
	below = at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0))
	layer = allocated(tls, *below)
	layer.FpNext = 0
	name := allocated(tls, [len(VFS) + 1]byte{})
	copy(name[:], VFS)
	layer.FzName = address(name)
	parameter = allocated(tls, [len(Parameter) + 1]byte{})
	copy(parameter[:], Parameter)
	layer.FszOsFile += int32(unsafe.Sizeof(file{}))
	layer.FxOpen = function(open)
	methods.of = make(map[uintptr]*sqlite3.Tsqlite3_io_methods)
	if code := sqlite3.Xsqlite3_vfs_register(tls, address(layer), 0); code != sqlite3.SQLITE_OK {
		panic(fmt.Sprintf("SQLite refuses a VFS: error %d", code))
	}
	if code := sqlite3.Xsqlite3_auto_extension(tls, function(reserve)); code != sqlite3.SQLITE_OK {
		panic(fmt.Sprintf("SQLite refuses an extension: error %d", code))
	}
}

// at returns the value at an address.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// allocated copies a value into memory of C, which is never freed.
func allocated[T any](tls *libc.TLS, value T) *T {
	p := libc.Xmalloc(tls, libctypes.Size_t(unsafe.Sizeof(value)))
	if p == 0 {
		panic("no memory for a VFS")
	}
	to := at[T](p)
	*to = value
	return to
}

func address[T any](variable *T) uintptr { return uintptr(unsafe.Pointer(variable)) }

// function returns the address under which SQLite calls a Go function: that of its closure (funcval), which is the
// second word of the interface.
func function(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

// call returns the function at such an address.
func call[F any](address uintptr) F {
	description := &struct{ uintptr }{address}
	return *(*F)(unsafe.Pointer(description))
}

func bytesAt(address uintptr, n int32) []byte { return unsafe.Slice(at[byte](address), n) }

type (
	openMethod  = func(tls *libc.TLS, vfs, name, f uintptr, flags int32, out uintptr) int32
	readMethod  = func(tls *libc.TLS, f, buffer uintptr, n int32, offset int64) int32
	traitMethod = func(tls *libc.TLS, f uintptr) int32

	syncMethod     = func(tls *libc.TLS, f uintptr, flags int32) int32
	truncateMethod = func(tls *libc.TLS, f uintptr, size int64) int32
	sizeMethod     = func(tls *libc.TLS, f, size uintptr) int32
)

// of returns the state of this layer for an open file.
func of(f uintptr) *file { return at[file](f + uintptr(below.FszOsFile)) }

func (known *file) methods() *sqlite3.Tsqlite3_io_methods {
	return at[sqlite3.Tsqlite3_io_methods](known.original)
}

// reserve is called for every new connection. It reserves the room for checksums in a database that is new or made by
// VACUUM.
func reserve(tls *libc.TLS, db, _, _ uintptr) int32 {
	p := tls.Alloc(8)
	defer tls.Free(8)
	*at[uintptr](p) = 0
	code := sqlite3.Xsqlite3_file_control(tls, db, 0, sqlite3.SQLITE_FCNTL_VFS_POINTER, p)
	if code != sqlite3.SQLITE_OK || *at[uintptr](p) != address(layer) {
		return sqlite3.SQLITE_OK
	}
	*at[int32](p) = Reserved
	return sqlite3.Xsqlite3_file_control(tls, db, 0, sqlite3.SQLITE_FCNTL_RESERVE_BYTES, p)
}

func open(tls *libc.TLS, _, name, f uintptr, flags int32, out uintptr) int32 {
	code := call[openMethod](below.FxOpen)(tls, address(below), name, f, flags, out)
	main, journal := flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0, flags&sqlite3.SQLITE_OPEN_WAL != 0
	if code != sqlite3.SQLITE_OK || !main && !journal {
		return code
	}
	theirs := at[sqlite3.Tsqlite3_file](f)
	known := of(f)
	*known = file{original: theirs.FpMethods, name: name, journal: journal, unsealed: sealed, whole: -1}
	if main {
		switch sqlite3.Xsqlite3_uri_int64(tls, name, address(parameter), -1) {
		case 0:
		case 1:
			known.sums = true
		default:
			var err int32
			if known.sums, err = reserved(tls, known, f); err != sqlite3.SQLITE_OK {
				_ = call[traitMethod](known.methods().FxClose)(tls, f) // opening has failed already
				theirs.FpMethods = 0
				return err
			}
		}
	}
	theirs.FpMethods = address(replaced(tls, theirs.FpMethods))
	return code
}

// reserved reports whether the first page of a database says that its pages have checksums. It returns true for an
// empty one.
func reserved(tls *libc.TLS, known *file, f uintptr) (sums bool, code int32) {
	const head = 100
	p := tls.Alloc(head)
	defer tls.Free(head)
	switch code = call[readMethod](known.methods().FxRead)(tls, f, p, head, 0); code {
	case sqlite3.SQLITE_OK:
		return Reserves(bytesAt(p, head)), code
	case sqlite3.SQLITE_IOERR_SHORT_READ: // missing bytes are zeros
		return zero(bytesAt(p, head)), sqlite3.SQLITE_OK // no database begins with anything else
	}
	return false, code
}

// replaced returns a table of methods with those of this layer.
func replaced(tls *libc.TLS, original uintptr) *sqlite3.Tsqlite3_io_methods {
	methods.Lock()
	defer methods.Unlock()
	table := methods.of[original]
	if table == nil {
		table = allocated(tls, *at[sqlite3.Tsqlite3_io_methods](original))
		table.FxRead = function(read)
		table.FxWrite = function(write)
		table.FxSync = function(flush)
		table.FxTruncate = function(truncate)
		table.FxFileSize = function(fileSize)
		table.FxClose = function(closeFile)
		table.FxDeviceCharacteristics = function(characteristics)
		if table.FiVersion >= 3 {
			table.FiVersion = 2 // without mapping the file into memory, past this layer
		}
		methods.of[original] = table
	}
	return table
}

// isPage reports whether a read or write is of a page, by its size, a power of two. Other reads, of the head of a
// database and of whole frames of a journal after a crash, which SQLite checks itself, have other sizes.
func isPage(n int32) bool { return n >= 512 && n&(n-1) == 0 }

func read(tls *libc.TLS, f, buffer uintptr, n int32, offset int64) int32 {
	known := of(f)
	if code := known.release(tls, f); code != sqlite3.SQLITE_OK {
		return code
	}
	if known.journal && isPage(n) && offset < known.unsealed {
		return known.readFrame(tls, f, buffer, n, offset)
	}
	code := call[readMethod](known.methods().FxRead)(tls, f, buffer, n, offset)
	switch {
	case known.journal && isPage(n-FrameHeader):
		known.whole = offset
	case known.sums && isPage(n) &&
		(code == sqlite3.SQLITE_IOERR_SHORT_READ || code == sqlite3.SQLITE_OK && !Fits(bytesAt(buffer, n))):
		return known.damaged("page %d of %s does not match its checksum", offset/int64(n)+1)
	}
	return code
}

// readFrame reads a page from the journal and checks it. Before the page comes its header, and before that the frame
// whose checksum it continues; all of it is read by one system call.
func (known *file) readFrame(tls *libc.TLS, f, page uintptr, n int32, offset int64) int32 {
	const sums = 8
	from := offset - FrameHeader - int64(n) - sums
	if offset == JournalHeader+FrameHeader {
		from = JournalHeader - sums
	}
	size := int32(offset-from) + n
	if !known.allocate(tls, size) {
		return sqlite3.SQLITE_IOERR_NOMEM
	}
	if code := call[readMethod](known.methods().FxRead)(tls, f, known.room, size, from); code != sqlite3.SQLITE_OK {
		return code
	}
	b := bytesAt(known.room, size)
	header, body := b[size-n-FrameHeader:size-n], b[size-n:]
	if !FrameFits(b[:sums], header, body) {
		frame := (offset-JournalHeader)/int64(n+FrameHeader) + 1
		return known.damaged("frame %d of the journal %s does not match its checksum", frame)
	}
	copy(bytesAt(page, n), body)
	return sqlite3.SQLITE_OK
}

// sealed is the value of unsealed when all frames have their checksum.
const sealed = 1<<63 - 1

func write(tls *libc.TLS, f, buffer uintptr, n int32, offset int64) int32 {
	known := of(f)
	switch {
	case known.journal && n == FrameHeader:
		header := bytesAt(buffer, n)
		if zero(header[8:]) { // computed when its transaction commits
			known.unsealed = min(known.unsealed, offset)
		} else if offset <= known.unsealed {
			known.unsealed = sealed // checksums of all later frames are computed again before a commit
		}
		known.header = offset
		known.commits = binary.BigEndian.Uint32(header[4:]) != 0
	case known.journal && isPage(n) && offset != known.header+FrameHeader:
		known.unsealed = min(known.unsealed, offset-FrameHeader)
	case known.sums && isPage(n):
		Put(bytesAt(buffer, n)) // into the reserved bytes, which SQLite does not use
	}
	if known.journal {
		return known.hold(tls, f, buffer, n, offset)
	}
	return call[readMethod](known.methods().FxWrite)(tls, f, buffer, n, offset)
}

// allocate makes room for a number of bytes, and returns false if there is no memory. The former content is lost.
func (known *file) allocate(tls *libc.TLS, size int32) bool {
	if known.roomSize < size {
		libc.Xfree(tls, known.room)
		known.room, known.roomSize = libc.Xmalloc(tls, libctypes.Size_t(size)), size
		if known.room == 0 {
			known.roomSize = 0
		}
	}
	return known.room != 0
}

// heldMost is how many bytes are held back at most: less than the 128 KiB that SQLite writes by one system call.
const heldMost = 120 << 10

// hold writes to a journal, or holds the bytes back. SQLite writes each frame by two system calls; the frames of a
// transaction are held back until its last one, and then written by one. Before that, no other connection reads them,
// and everything else that SQLite does with the file releases them first. Only new frames are held back: a frame of
// which SQLite computes the checksum again, after reading it, has only its header written.
func (known *file) hold(tls *libc.TLS, f, buffer uintptr, n int32, offset int64) int32 {
	next := known.heldSize > 0 && offset == known.heldAt+int64(known.heldSize)
	if !next || known.heldSize+n > heldMost {
		if code := known.release(tls, f); code != sqlite3.SQLITE_OK {
			return code
		}
		begins := n == FrameHeader && offset != known.whole && known.allocate(tls, heldMost)
		known.whole = -1
		if !begins {
			return call[readMethod](known.methods().FxWrite)(tls, f, buffer, n, offset)
		}
		known.heldAt = offset
	}
	copy(bytesAt(known.room+uintptr(known.heldSize), n), bytesAt(buffer, n))
	known.heldSize += n
	if known.commits && n != FrameHeader {
		return known.release(tls, f)
	}
	return sqlite3.SQLITE_OK
}

// release writes what is held back.
func (known *file) release(tls *libc.TLS, f uintptr) int32 {
	n := known.heldSize
	if n == 0 {
		return sqlite3.SQLITE_OK
	}
	known.heldSize = 0
	return call[readMethod](known.methods().FxWrite)(tls, f, known.room, n, known.heldAt)
}

func flush(tls *libc.TLS, f uintptr, flags int32) int32 {
	if code := of(f).release(tls, f); code != sqlite3.SQLITE_OK {
		return code
	}
	return syncFile(tls, f, flags)
}

func truncate(tls *libc.TLS, f uintptr, size int64) int32 {
	known := of(f)
	if code := known.release(tls, f); code != sqlite3.SQLITE_OK {
		return code
	}
	return call[truncateMethod](known.methods().FxTruncate)(tls, f, size)
}

func fileSize(tls *libc.TLS, f, size uintptr) int32 {
	known := of(f)
	if code := known.release(tls, f); code != sqlite3.SQLITE_OK {
		return code
	}
	return call[sizeMethod](known.methods().FxFileSize)(tls, f, size)
}

// closeFile drops what is held back: frames of a transaction that was not committed.
func closeFile(tls *libc.TLS, f uintptr) int32 {
	known := of(f)
	libc.Xfree(tls, known.room)
	known.room, known.roomSize, known.heldSize = 0, 0, 0
	return call[traitMethod](known.methods().FxClose)(tls, f)
}

// characteristics keeps SQLite from reading parts of pages, which cannot be checked.
func characteristics(tls *libc.TLS, f uintptr) int32 {
	return call[traitMethod](of(f).methods().FxDeviceCharacteristics)(tls, f) &^ sqlite3.SQLITE_IOCAP_SUBPAGE_READ
}

// last describes the last page that did not match its checksum.
var last atomic.Pointer[string]

func (known *file) damaged(format string, place int64) int32 {
	text := fmt.Sprintf(format, place, libc.GoString(known.name))
	last.Store(&text)
	return sqlite3.SQLITE_IOERR_DATA
}

// Last describes the last page that did not match its checksum, on any connection: "page 7 of x.db does not match its
// checksum". It completes an error of SQLite, which has only a code.
func Last() string {
	if text := last.Load(); text != nil {
		return *text
	}
	return ""
}
