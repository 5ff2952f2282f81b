// Package pinned downloads files that tests and builds need from public registries: one version of each, identified
// by its SHA-256. Environment variables may name mirrors of the registries (registry.go).
package pinned

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"brokerage/internal/format"
)

// A File is one version of a file in a registry.
type File struct {
	Name   string // in the registry and in the folder
	SHA256 string
	locate func(ctx context.Context) (url string, err error)
}

// Fetch downloads the file into a folder unless it is there with the right checksum, and returns its path.
func (f File) Fetch(ctx context.Context, dir string) (path string, err error) {
	path = filepath.Join(dir, f.Name)
	if f.check(path) == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	url, err := f.locate(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Name, err)
	}
	// In a folder of its own until it is complete: other tests may fetch the same file at the same time.
	half, err := os.MkdirTemp(dir, "half")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(half)) }()
	part := filepath.Join(half, f.Name)
	if err := download(ctx, url, part); err != nil {
		return "", err
	}
	if err := f.check(part); err != nil {
		return "", fmt.Errorf("%s: %w", url, err)
	}
	return path, os.Rename(part, path)
}

// check returns an error unless a file has the checksum.
func (f File) check(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("%s has SHA-256 %s instead of %s", filepath.Base(path), got, f.SHA256)
	}
	return nil
}

// download writes what is at a URL to a file.
func download(ctx context.Context, url, path string) (err error) {
	response, err := get(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was read, or is of no use
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, response.Body)
	return errors.Join(err, file.Close())
}

// get requests a URL. An answer other than 200 is an error.
func get(ctx context.Context, url string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.Join(fmt.Errorf("%s: %s", format.URL(url), response.Status), response.Body.Close())
	}
	return response, err
}
