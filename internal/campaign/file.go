package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Read reads a campaign's file.
func Read(path string) (*Record, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	// The format first: what is of another form is not to be told by its fields.
	var form struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(b, &form); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if form.Format != Format {
		return nil, fmt.Errorf("%s is not a campaign: its format is %q, not %q", path, form.Format, Format)
	}
	var r Record
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &r, nil
}

func readIfThere(path string) (*Record, error) {
	r, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is none
	}
	return r, err
}

// write replaces a campaign's file as a whole: whatever ends it, the file is the old one or the new one.
func write(path string, r *Record) (err error) {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	half, err := os.CreateTemp(filepath.Dir(path), ".campaign-*.json")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(half.Name()))
		}
	}()
	_, err = half.Write(append(b, '\n'))
	if err == nil {
		err = half.Chmod(0o644) // of CreateTemp, only its owner may read it
	}
	if err == nil {
		err = half.Sync()
	}
	if err := errors.Join(err, half.Close()); err != nil {
		return err
	}
	return os.Rename(half.Name(), path)
}
