package main

import (
	"fmt"
	"strconv"
	"time"
)

// bytesText writes a size as people say it: three digits, decimal units.
func bytesText(n float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n, i = n/1000, i+1
	}
	switch {
	case i == 0 || n >= 99.95:
		return fmt.Sprintf("%.0f %s", n, units[i])
	case n >= 9.995:
		return fmt.Sprintf("%.1f %s", n, units[i])
	}
	return fmt.Sprintf("%.2f %s", n, units[i])
}

// countText writes 1234567 as 1,234,567.
func countText(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is countText with its noun.
func plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return countText(n) + " " + noun
}

// durationText is precise while it is short: 0.4 s, 12 s, 3:05, 1:02:03.
func durationText(d time.Duration) string {
	switch s := int64(d.Round(time.Second) / time.Second); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
}
