package ledger

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/output"
)

// A change is not sent before its line is on disk: lines can be written to /dev/null, but not flushed.
func TestWriter_NotFlushed(t *testing.T) {
	w, err := Create(output.File{Path: filepath.Join(t.TempDir(), "ledger")})
	require.NoError(t, err)
	require.NoError(t, w.Start("tiny"))
	require.NoError(t, w.file.Close())
	w.file, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	w.encoder = json.NewEncoder(w.file)
	for range 2 {
		_, err = w.Begin(Change{Do: "insert_order", ID: 1})
		require.ErrorContains(t, err, "sync")
	}
	require.ErrorIs(t, w.Close(), w.err)
}
