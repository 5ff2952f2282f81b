package output

import (
	"io"
	"os"
	"regexp"
	"strings"
)

// A Kind is a kind of file that commands write, and recognise by its beginning. An empty file is of every kind.
type Kind struct {
	name     string
	appended bool // to an existing file, which is not replaced
	is       func(head, tail string) bool
}

// The kinds of files that commands write.
var (
	// A Backup is a zstd stream that ends in the frame with its manifest.
	Backup = Kind{name: "a backup", is: func(head, tail string) bool {
		return strings.HasPrefix(head, "\x28\xB5\x2F\xFD") && strings.Contains(tail, "\x5B\x2A\x4D\x18")
	}}
	Database  = Kind{name: "a database", is: begins("^SQLite format 3\x00")}
	Result    = Kind{name: "a result", is: begins(`^{\s*"format":\s*"brokerage-`)}
	Page      = Kind{name: "a report", is: begins(`(?s)^<!DOCTYPE html>.*<meta name="generator" content="brokerage">`)}
	Templates = Kind{name: "a file of templates", is: begins(`^{"dataset":"`)}
	// JSON are files that a campaign reads again.
	JSON = Kind{name: "JSON", is: begins(`^[{["]`)}
	// The first record of an AuditLog may be torn.
	AuditLog = Kind{name: "an audit log", appended: true,
		is: begins(`^{"time":"([^"]*","(client|address)":|[^\n]{0,43}(\n|$))`)}
	Tokens = Kind{name: "a file of tokens", appended: true, is: begins(`^\s*(#|[\w.@-]+:)`)}
)

func begins(pattern string) func(head, tail string) bool {
	head := regexp.MustCompile(pattern)
	return func(text, _ string) bool { return head.MatchString(text) }
}

const headBytes, tailBytes = 4 << 10, 64 << 10

// recognises reports whether a file is empty or of the kind.
func (k Kind) recognises(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err == nil, err
	}
	head, tail := make([]byte, min(info.Size(), headBytes)), make([]byte, min(info.Size(), tailBytes))
	_, err = io.ReadFull(f, head)
	if err == nil {
		_, err = f.ReadAt(tail, info.Size()-int64(len(tail)))
	}
	return err == nil && k.is(string(head), string(tail)), err
}
