package sqlite

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
	"time"

	"github.com/klauspost/compress/zstd"
)

// A backup is a zstd stream of a database file, which `zstd -d` makes one
// again, and behind it a frame that zstd skips:
//
//	4 bytes   skippable, which marks it as such
//	4 bytes   the length of the rest, little-endian
//	a line    the manifest, as JSON
//	a line    the seal: the SHA-256 of the whole file up to here, in hex
//
// The seal is over the file and not only over what it unpacks to, since a zstd
// stream has bits that make no difference; a backup is whole, to the last of
// them, or refused.
const (
	manifestFormat = 1
	skippable      = "\x5B\x2A\x4D\x18" // 0x184D2A5B; none of its last byte is in a text
	frameHead      = len(skippable) + 4
	sealLine       = 2*sha256.Size + 1
	maxManifest    = 64 << 10
)

// Manifest is what a backup says of itself.
type Manifest struct {
	Format      int       `json:"format"`
	Schema      int       `json:"schema"`      // version of the database's schema
	Fingerprint string    `json:"fingerprint"` // of the dataset in it; empty if there is none
	Time        time.Time `json:"time"`        // of the state that it keeps, UTC
	PageSize    int64     `json:"page_size"`
	Bytes       int64     `json:"bytes"`  // of the database
	SHA256      string    `json:"sha256"` // of the database, in hex
}

// seal ends a backup.
func (m Manifest) seal(out *tally) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if len(text) > maxManifest-frameHead-sealLine {
		return fmt.Errorf("a manifest of %d bytes is too long", len(text))
	}
	frame := binary.LittleEndian.AppendUint32([]byte(skippable), uint32(len(text)+sealLine))
	if _, err := out.Write(append(frame, text...)); err != nil {
		return err
	}
	_, err = io.WriteString(out, out.sum()+"\n")
	return err
}

// backupFile is a backup that is being read.
type backupFile struct {
	*os.File
	Manifest

	packed int64  // bytes of the database, packed
	sealed int64  // bytes that the seal is over
	stated string // the seal
}

// openBackup opens a backup and reads its manifest, which is right only if
// unpack says so.
func openBackup(path string) (b *backupFile, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b = &backupFile{File: f}
	if err := b.readManifest(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s %w", path, err), f.Close())
	}
	return b, nil
}

var errNoManifest = errors.New("is not a backup, or only the beginning of one: it does not end with a manifest")

func (b *backupFile) readManifest() error {
	info, err := b.Stat()
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	tail := make([]byte, min(info.Size(), maxManifest))
	if _, err := b.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	at := bytes.LastIndex(tail, []byte(skippable))
	if at < 0 || len(tail)-at < frameHead+sealLine {
		return errNoManifest
	}
	frame := tail[at:]
	length := int64(frameHead) + int64(binary.LittleEndian.Uint32(frame[len(skippable):]))
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
	newest, err := newestSchema()
	switch {
	case err != nil:
		return err
	case b.Format > manifestFormat:
		return fmt.Errorf("is a backup of format %d, and this program knows up to %d: use a newer one", b.Format, manifestFormat)
	case b.Schema > newest:
		return fmt.Errorf("holds schema version %d, and this program knows up to %d: use a newer one", b.Schema, newest)
	case b.Format < 1 || b.Schema < 1 || b.Bytes <= 0:
		return errors.New("is damaged: its manifest makes no sense")
	}
	return nil
}

// unpack reads all of the backup, and gives an error unless it is whole: only
// then is what was written of use. read is told how much of the database came.
func (b *backupFile) unpack(ctx context.Context, to io.Writer, read func(bytes int64)) error {
	file := sha256.New()
	packed := io.TeeReader(io.NewSectionReader(b, 0, b.packed), file)
	unpacker, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}
	defer unpacker.Close()
	raw := &tally{to: to, hash: sha256.New()}
	for {
		n, err := io.CopyN(raw, unpacker, told)
		read(n)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case raw.bytes > b.Bytes:
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
	case raw.bytes != b.Bytes:
		return fmt.Errorf("%s is damaged: it holds %d bytes instead of %d", b.Name(), raw.bytes, b.Bytes)
	case raw.sum() != b.SHA256:
		return fmt.Errorf("%s is damaged: the SHA-256 of the database in it is not that of its manifest", b.Name())
	case hex.EncodeToString(file.Sum(nil))+"\n" != b.stated:
		return fmt.Errorf("%s is damaged: its SHA-256 is not the one that it ends with", b.Name())
	}
	return nil
}

// unpackError tells damage from a disk that cannot be read or written.
func (b *backupFile) unpackError(err error) error {
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s is damaged: %w", b.Name(), err)
}
