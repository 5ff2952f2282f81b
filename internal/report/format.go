package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Figures on a page are for reading: three digits that mean something, and units that keep them short. The file has
// them in full.

// countText writes 1234567 as 1,234,567.
func countText(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// figure writes a rate or a ratio with three digits, or as a whole number where that is longer.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 99.95:
		return countText(int64(math.Round(v)))
	case a >= 9.995:
		return fixed(v, 1)
	case a >= 0.9995:
		return fixed(v, 2)
	default:
		return fixed(v, 3)
	}
}

// fixed writes a number with so many places and a proper minus.
func fixed(v float64, places int) string {
	s := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// percent writes a share of 1.
func percent(share float64, places int) string { return fixed(100*share, places) + " %" }

// signed writes a change as a share of 1, with its sign.
func signed(share float64) string {
	if text := percent(share, 1); strings.HasPrefix(text, "−") || share == 0 {
		return text
	}
	return "+" + percent(share, 1)
}

// millis writes microseconds as milliseconds.
func millis(micros float64) string { return figure(micros / 1000) }

// bytesText writes a size in decimal units.
func bytesText(n float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for math.Abs(n) >= 999.5 && i < len(units)-1 {
		n, i = n/1000, i+1
	}
	if i == 0 {
		return fixed(n, 0) + " " + units[0]
	}
	return figure(n) + " " + units[i]
}

// secondsText is precise while it is short: 0.042 s, 1.5 s, 12 s, 3:05 min, 1:02:03 h.
func secondsText(seconds float64) string {
	switch s := int64(math.Round(seconds)); {
	case seconds == 0:
		return "0 s"
	case seconds < 0.95:
		return figure(seconds) + " s"
	case seconds < 9.95:
		return fixed(seconds, 1) + " s"
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d:%02d min", s/60, s%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d h", s/3600, s/60%60, s%60)
	}
}

func timeText(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// short is the beginning of a hash, which is enough to tell two apart.
func short(hash string) string { return hash[:min(12, len(hash))] }

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return countText(int64(n)) + " " + noun
}

// joined leaves out what is empty.
func joined(separator string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, separator)
}
