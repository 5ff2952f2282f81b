package sqlite

import (
	"errors"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"brokerage/internal/brokerage"
)

// A disk that takes what is written and fails to flush it: whether the write will
// be there after a crash is not known, and nobody is told that it will not.
func TestWriter_FlushFails(t *testing.T) {
	s := empty(t)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, null.Close()) }()
	descriptors, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	replaced := 0
	for _, descriptor := range descriptors {
		if name, err := os.Readlink("/proc/self/fd/" + descriptor.Name()); err == nil && name == s.path+"-wal" {
			fd, err := strconv.Atoi(descriptor.Name())
			require.NoError(t, err)
			require.NoError(t, unix.Dup3(int(null.Fd()), fd, unix.O_CLOEXEC))
			replaced++
		}
	}
	require.Positive(t, replaced)
	_, err = s.InsertOrder(t.Context(), now(), order(generator(t, "tiny"), 1))
	unavailable, ok := errors.AsType[*brokerage.Unavailable](err)
	require.True(t, ok, "%v", err)
	require.ErrorContains(t, err, "(1034)", "an error of the flush")
	require.True(t, unavailable.Unknown)
}
