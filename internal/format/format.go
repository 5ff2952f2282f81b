// Package format writes what people read: counts, rounded rates, sizes and durations with short units, and URLs without
// their passwords. Files of results hold the same figures in full.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Minus is the minus sign of every negative figure (U+2212).
const Minus = "−"

// Count writes a count with a comma after each group of three digits: 1,234,567.
func Count[N ~int | ~int64](n N) string {
	digits, sign := strconv.FormatInt(int64(n), 10), ""
	if n < 0 {
		digits, sign = digits[1:], Minus
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural writes a count and its noun, which gets an "s" unless the count is 1: 1 file, 2,000 files.
func Plural[N ~int | ~int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Count(n) + " " + noun
}

// Figure writes a rate or a ratio: whole if 0 or from 100 on, three decimals below 1, else three significant digits.
func Figure(v float64) string {
	switch size := math.Abs(v); {
	case v == 0:
		return "0"
	case size >= 99.95:
		return Count(int64(math.Round(v)))
	case size >= 9.995:
		return Fixed(v, 1)
	case size >= 0.9995:
		return Fixed(v, 2)
	default:
		return Fixed(v, 3)
	}
}

// Fixed writes a number with the given count of decimal places. Zero has no sign.
func Fixed(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", Minus, 1)
}

// Bytes writes a size with three significant digits in decimal units: 999 bytes, 12.3 MB.
func Bytes[N ~int | ~int64 | ~float64](size N) string {
	n := float64(size)
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for math.Abs(n) >= 999.5 && i < len(units)-1 {
		n, i = n/1000, i+1
	}
	if i == 0 {
		return Fixed(n, 0) + " " + units[0]
	}
	return Figure(n) + " " + units[i]
}

// ByteRate writes the mean rate at which bytes were processed: 12.3 MB/s.
func ByteRate[N ~int | ~int64 | ~float64](size N, took time.Duration) string {
	return Bytes(float64(size)/max(took.Seconds(), 1e-3)) + "/s"
}

// Duration writes a duration with tenths of a second below 10 s: 0.4 s, 12 s, 3:05, 1:02:03.
func Duration(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return Clock(d)
}

// Clock writes a duration in whole seconds: 4 s, 3:05, 1:02:03.
func Clock(d time.Duration) string {
	switch s := int64(d.Round(time.Second) / time.Second); {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
}
