package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Told is how many bytes lie between two reports of progress.
const Told = 1 << 20

// File is a backup that is being read.
type File struct {
	*os.File
	Manifest

	packed int64  // bytes of the database, packed
	sealed int64  // bytes that the seal is over
	stated string // the seal
}

// Open opens a backup of an engine, whose schema is known up to a version, and
// reads its manifest, which is right only if Unpack says so.
func Open(path, engine string, newest int) (b *File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b = &File{File: f}
	if err := b.readManifest(engine, newest); err != nil {
		return nil, errors.Join(fmt.Errorf("%s %w", path, err), f.Close())
	}
	return b, nil
}

var errNoManifest = errors.New("is not a backup, or only the beginning of one: it does not end with a manifest")

func (b *File) readManifest(engine string, newest int) error {
	info, err := b.Stat()
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	tail := make([]byte, min(info.Size(), maxManifest))
	if _, err := b.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	at := bytes.LastIndex(tail, []byte(Skippable))
	if at < 0 || len(tail)-at < frameHead+sealLine {
		return errNoManifest
	}
	frame := tail[at:]
	length := int64(frameHead) + int64(binary.LittleEndian.Uint32(frame[len(Skippable):]))
	switch over := int64(len(frame)) - length; {
	case over < 0:
		return errors.New("is cut off")
	case over > 0:
		return fmt.Errorf("has %d bytes behind its end", over)
	}
	text, seal := frame[frameHead:len(frame)-sealLine], frame[len(frame)-sealLine:]
	b.sealed = info.Size() - int64(sealLine)
	b.packed = info.Size() - length
	b.stated = string(seal)
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return fmt.Errorf("is damaged: its manifest cannot be read: %w", err)
	}
	switch {
	case b.Engine != engine:
		return fmt.Errorf("is a backup of %s, and not of %s", engineText(b.Engine), engineText(engine))
	case b.Format > Format:
		return fmt.Errorf("is a backup of format %d, and this program knows up to %d: use a newer one", b.Format, Format)
	case b.Schema > newest:
		return fmt.Errorf("holds schema version %d, and this program knows up to %d: use a newer one", b.Schema, newest)
	case b.Format < 1 || b.Schema < 1 || b.Bytes <= 0:
		return errors.New("is damaged: its manifest makes no sense")
	}
	return nil
}

func engineText(engine string) string {
	if engine == "" {
		return "the embedded store"
	}
	return engine
}

// Unpack reads all of the backup, and gives an error unless it is whole: only
// then is what was written of use. read is told how much of the database came.
func (b *File) Unpack(ctx context.Context, to io.Writer, read func(bytes int64)) error {
	file := sha256.New()
	packed := io.TeeReader(io.NewSectionReader(b, 0, b.packed), file)
	unpacker, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}
	defer unpacker.Close()
	raw := NewTally(to)
	for {
		n, err := io.CopyN(raw, unpacker, Told)
		read(n)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case raw.Bytes > b.Bytes:
			return fmt.Errorf("%s is damaged: it holds more than the %d bytes that it should", b.Name(), b.Bytes)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return b.unpackError(err)
		}
	}
	unpacker.Close() // it reads ahead in a goroutine of its own
	if _, err := io.Copy(file, io.NewSectionReader(b, b.packed, b.sealed-b.packed)); err != nil {
		return err
	}
	switch {
	case raw.Bytes != b.Bytes:
		return fmt.Errorf("%s is damaged: it holds %d bytes instead of %d", b.Name(), raw.Bytes, b.Bytes)
	case raw.Sum() != b.SHA256:
		return fmt.Errorf("%s is damaged: the SHA-256 of the database in it is not that of its manifest", b.Name())
	case hex.EncodeToString(file.Sum(nil))+"\n" != b.stated:
		return fmt.Errorf("%s is damaged: its SHA-256 is not the one that it ends with", b.Name())
	}
	return nil
}

// unpackError tells damage from a disk that cannot be read or written.
func (b *File) unpackError(err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s is damaged: %w", b.Name(), err)
}
