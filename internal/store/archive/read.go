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

	"brokerage/internal/store/bulk"
)

// ProgressBytes is the number of bytes between two reports of progress.
const ProgressBytes = 1 << 20

// A File is a backup that is open for reading.
type File struct {
	*os.File
	Manifest

	packed int64  // bytes of the packed database
	sealed int64  // bytes that the seal covers
	seal   string // as the file states it
}

// Open opens a backup of an engine and reads its manifest, which can be trusted only after Unpack. It refuses one
// of another version of the schema.
func Open(path, engine string) (b *File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b = &File{File: f}
	if err := b.readManifest(engine); err != nil {
		return nil, errors.Join(fmt.Errorf("%s %w", path, err), f.Close())
	}
	return b, nil
}

var errNoManifest = errors.New("is not a backup, or only the beginning of one: it does not end with a manifest")

func (b *File) readManifest(engine string) error {
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
		return fmt.Errorf("has %d bytes after its end", over)
	}
	text, seal := frame[frameHead:len(frame)-sealLine], frame[len(frame)-sealLine:]
	b.sealed = info.Size() - int64(sealLine)
	b.packed = info.Size() - length
	b.seal = string(seal)
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return fmt.Errorf("is damaged: its manifest cannot be read: %w", err)
	}
	switch {
	case b.Engine != engine:
		return fmt.Errorf("is a backup of %s, and not of %s", engineText(b.Engine), engineText(engine))
	case b.Format > Format:
		return fmt.Errorf("is of format %d, but this program supports up to %d: use a newer release", b.Format, Format)
	case b.Format < 1 || b.Schema < 1 || b.Bytes <= 0:
		return errors.New("is damaged: its manifest makes no sense")
	}
	if err := (bulk.Stamp{Version: b.Schema, Identity: b.Identity}).Check(); err != nil {
		return fmt.Errorf("cannot be restored: %w", err)
	}
	return nil
}

func engineText(engine string) string {
	if engine == "" {
		return "the embedded store"
	}
	return engine
}

// Unpack writes the database in the backup to a writer, and returns an error unless the backup is complete: after an
// error, what was written is unusable. It calls read with the progress.
func (b *File) Unpack(ctx context.Context, to io.Writer, read func(bytes int64)) error {
	file := sha256.New()
	packed := io.TeeReader(io.NewSectionReader(b, 0, b.packed), file)
	unpacker, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}
	defer unpacker.Close()
	raw := NewDigest(to)
	for {
		n, err := io.CopyN(raw, unpacker, ProgressBytes)
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
	unpacker.Close() // its goroutine reads ahead
	if _, err := io.Copy(file, io.NewSectionReader(b, b.packed, b.sealed-b.packed)); err != nil {
		return err
	}
	switch {
	case raw.Bytes != b.Bytes:
		return fmt.Errorf("%s is damaged: it holds %d bytes instead of %d", b.Name(), raw.Bytes, b.Bytes)
	case raw.Sum() != b.SHA256:
		return fmt.Errorf("%s is damaged: the SHA-256 of the database in it is not that of its manifest", b.Name())
	case hex.EncodeToString(file.Sum(nil))+"\n" != b.seal:
		return fmt.Errorf("%s is damaged: its SHA-256 is not the one that it ends with", b.Name())
	}
	return nil
}

// unpackError returns an error of the disk unchanged, and any other as damage.
func (b *File) unpackError(err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s is damaged: %w", b.Name(), err)
}
