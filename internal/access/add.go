package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Add creates a token for a client and appends its line to a file, which is created if it does not exist. A file that
// Load would refuse is an error, and so is a name that the file has already.
func Add(path string, c Client) (token string, err error) {
	if err := CheckName(c.Name); err != nil {
		return "", err
	}
	entries, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, there := range entries {
		if there.client.Name == c.Name {
			return "", fmt.Errorf("%s has a token for %s already", path, c.Name)
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	token, line := NewToken(c)
	// In one write: a service that watches the file never sees half of it.
	_, err = file.WriteString(separator(file) + line + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return token, nil
}

// separator returns the end of the last line of a file, if an editor has left it out.
func separator(file *os.File) string {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return ""
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], info.Size()-1); err != nil || last[0] == '\n' {
		return ""
	}
	return "\n"
}
