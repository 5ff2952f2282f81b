package pagesum

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// CheckJournal returns what is damaged in the journal of a closed database, or the empty text.
//
// SQLite applies the journal of a killed process up to the first frame that does not match its checksum, and silently
// drops the rest: at a power failure, that is where writing ended. But it flushes each transaction before it begins the
// next. If a whole transaction and the beginning of another follow a frame that does not match, that frame was on disk
// once, so it is damaged, and dropping the rest would lose acknowledged transactions. Damage in the last transaction
// cannot be detected.
func CheckJournal(path string) (damage string, err error) {
	f, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	r := bufio.NewReaderSize(f, 1<<20)
	header := make([]byte, JournalHeader)
	if _, err := io.ReadFull(r, header); err != nil {
		return "", ignoreEnd(err)
	}
	whole, what := headerFits(header), "its header"
	size := binary.BigEndian.Uint32(header[8:])
	if size > 1<<16 || !isPage(int32(size)) {
		size = 4096 // the page size of every database of this program
	}
	salt, before := header[16:24], header[24:]
	frame := make([]byte, FrameHeader+size)
	committed := false // since the damage
	for n := 1; ; n++ {
		if _, err := io.ReadFull(r, frame); err != nil {
			return "", ignoreEnd(err)
		}
		if n == 1 && !whole {
			salt = bytes.Clone(frame[8:16])
		}
		fits := bytes.Equal(salt, frame[8:16]) && FrameFits(before, frame[:FrameHeader], frame[FrameHeader:])
		switch {
		case whole && !fits:
			whole, what = false, fmt.Sprintf("frame %d", n)
		case !whole && fits && committed:
			return fmt.Sprintf("%s-wal: %s does not match its checksum, and acknowledged transactions follow it",
				path, what), nil
		case !whole && fits:
			committed = binary.BigEndian.Uint32(frame[4:]) != 0
		}
		before = bytes.Clone(frame[16:24])
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func headerFits(header []byte) bool {
	magic := binary.BigEndian.Uint32(header)
	if magic&^1 != 0x377f0682 {
		return false
	}
	s1, s2 := add(0, 0, header[:24], magic&1 == 1)
	return s1 == binary.BigEndian.Uint32(header[24:]) && s2 == binary.BigEndian.Uint32(header[28:])
}
