package report

import (
	"math"
	"slices"
	"strings"
	"time"

	"brokerage/internal/format"
)

// percent writes a share of 1.
func percent(share float64, places int) string { return format.Fixed(100*share, places) + " %" }

// signed writes a share of 1 in percent, with its sign.
func signed(share float64) string {
	text := percent(share, 1)
	if strings.HasPrefix(text, format.Minus) || share == 0 {
		return text
	}
	return "+" + text
}

// times writes a ratio as a factor.
func times(ratio float64, places int) string { return "× " + format.Fixed(ratio, places) }

// millis writes microseconds as milliseconds.
func millis(micros float64) string { return format.Figure(micros / 1000) }

// whole writes a number without decimal places.
func whole(v float64) string { return format.Count(int64(math.Round(v))) }

// seconds writes a duration: 0.042 s, 1.5 s, 12 s, 3:05, 1:02:03.
func seconds(took float64) string {
	if took < 0.95 {
		return format.Figure(took) + " s"
	}
	return format.Duration(time.Duration(took * float64(time.Second)))
}

// minute writes a time to the minute, in UTC.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

// short returns the first 12 digits of a hash.
func short(hash string) string { return hash[:min(12, len(hash))] }

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), separator)
}

// prefixed puts a prefix before a text that is not empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// ratio returns a / b, or 0 when b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
