package output

import (
	"fmt"
	"io"
	"os"

	"brokerage/internal/format"
)

// OpenInput opens a regular file to read it. Anything else is refused before it is opened: opening a pipe waits for a
// writer.
func OpenInput(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	return os.Open(path)
}

// ReadInput reads a regular file, which is an error if it is larger than a number of bytes.
func ReadInput(path string, most int64) ([]byte, error) {
	file, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	return ReadAtMost(file, most)
}

// ReadAtMost is ReadInput for an open file.
func ReadAtMost(file *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %s", file.Name(), format.Bytes(most))
	}
	return text, err
}
