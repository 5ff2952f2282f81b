package format

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFormat(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1.00 kB", 999_600: "1.00 MB", 12_340_000: "12.3 MB", 123_400_000: "123 MB",
		1e15: "1.00 PB", 2e18: "2,000 PB",
	} {
		require.Equal(t, want, Bytes(n))
	}
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -1000: "−1,000", 300_000_000_000: "300,000,000,000",
	} {
		require.Equal(t, want, Count(n))
	}
	require.Equal(t, "1 file", Plural(1, "file"))
	require.Equal(t, "1,000 files", Plural(int64(1000), "file"))
	require.Equal(t, "2.00 kB/s", ByteRate(4000, 2*time.Second))
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0.4 s", 12 * time.Second: "12 s", 185 * time.Second: "3:05", 3723 * time.Second: "1:02:03",
	} {
		require.Equal(t, want, Duration(d))
	}
	require.Equal(t, "10 s", Clock(9_600*time.Millisecond))
}

func TestFigure(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", .1234: "0.123", .9999: "1.00", 1.234: "1.23", 9.999: "10.0", 12.34: "12.3", 99.96: "100", 12_345.6: "12,346",
	} {
		require.Equal(t, want, Figure(v))
	}
	require.Equal(t, "−1.5", Fixed(-1.5, 1))
	require.Equal(t, "0.0", Fixed(-.01, 1))
}
