package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"brokerage/internal/store/archive"
)

// Read reads a campaign's file.
func Read(path string) (*Record, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	// The format first: a file of another one would be refused for its fields.
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

// write replaces a campaign's file as a whole, also after a Ctrl-C.
func write(path string, r *Record) error { return writeJSON(context.Background(), path, 0o644, r) }

func writeJSON(ctx context.Context, path string, perm os.FileMode, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return archive.WriteWhole(ctx, path, perm, func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

// removeIfThere removes a file that need not exist.
func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
