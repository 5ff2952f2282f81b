package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"brokerage/internal/format"
	"brokerage/internal/workload"
)

// WriteText writes the comparison for a terminal: all figures of whole workloads, and those of single transactions that
// differ by more than noise.
func (c *Comparison) WriteText(w io.Writer) error {
	var b strings.Builder
	var files [][]string
	for _, side := range c.sides() {
		files = append(files, []string{side.name, strings.Join(side.names(), " "), side.origin()})
	}
	writeAligned(&b, files, "lll")
	for _, stamp := range c.stampLines() {
		b.WriteString(stamp + "\n")
	}
	for _, d := range c.differ {
		fmt.Fprintf(&b, "%s differs: A %s; B %s\n", d.Name, orNone(d.A), orNone(d.B))
	}
	for _, line := range c.remarks {
		b.WriteString(line + "\n")
	}
	b.WriteString("\n")
	rows := [][]string{{"", "users", "figure", "A", "", "B", "", "B/A", "difference"}}
	last := ""
	for _, f := range c.figures {
		if f.Detail && judge(f.A, f.B) != larger {
			continue
		}
		at := ""
		if f.Users > 0 {
			at = format.Count(f.Users)
		}
		group, key := f.Group, f.Group+at
		if key == last {
			group, at = "", ""
		}
		last = key
		rows = append(rows, []string{group, at, f.Name, f.write(f.A.median()), f.A.spreadText(), f.write(f.B.median()),
			f.B.spreadText(), times(f.ratio(), 3), f.outcome()})
	}
	writeAligned(&b, rows, "lrlrrrrrl")
	if hidden := len(c.figures) - (len(rows) - 1); hidden > 0 { // the counts include them
		fmt.Fprintf(&b, "%d of %d figures are not shown: those of single transactions, within noise or of unknown noise. "+
			"--out FILE writes all to a page.\n", hidden, len(c.figures))
	}
	verdict := c.conclude()
	fmt.Fprintf(&b, "\n%s\n%s\n\nVerdict on B against A: %s: %s.\n", c.counts(), ruleText, verdict.Word, verdict.Text)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteRepeats writes the figures of repeated runs for a terminal, a line for each, and their medians with half their
// range.
func WriteRepeats(w io.Writer, runs []*workload.Run) error {
	g := group{Runs: runs}
	figures := []struct {
		name  string
		write func(float64) string
		of    func(*workload.Run) float64
	}{
		{"goodput/s", format.Figure, goodput}, {"tps", format.Figure, tps}, {"p50 ms", millis, p50}, {"p95 ms", millis, p95},
		{"p99 ms", millis, p99},
	}
	rows := [][]string{{""}, {"median"}, {"spread"}}
	for i, r := range runs {
		rows = slices.Insert(rows, i+1, []string{fmt.Sprintf("run %d", i+1)})
		stamp := ""
		switch {
		case isInvalid(r):
			stamp = "INVALID"
		case r.Validity.Smoke:
			stamp = "SMOKE"
		}
		for _, f := range figures {
			rows[i+1] = append(rows[i+1], f.write(f.of(r)))
		}
		rows[i+1] = append(rows[i+1], stamp)
	}
	for _, f := range figures {
		s := g.values(f.of)
		rows[0] = append(rows[0], f.name)
		rows[len(runs)+1] = append(rows[len(runs)+1], f.write(s.median()))
		rows[len(runs)+2] = append(rows[len(runs)+2], s.spreadText())
	}
	var b strings.Builder
	writeAligned(&b, rows, "lrrrrrl")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeAligned writes columns of text, aligned to the left, and of figures, aligned to the right, which a tabwriter
// cannot mix in one table.
func writeAligned(b *strings.Builder, rows [][]string, sides string) {
	widths := make([]int, len(sides))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if sides[i] == 'r' {
				text = pad + text
			} else {
				text += pad
			}
			line.WriteString(text + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// origin says when a file was measured, and on what.
func (f *File) origin() string {
	if c := f.Campaign; c != nil {
		return joined(", ", minute(c.Started), joined(" ", c.Store.Engine, c.Store.Version),
			prefixed("brokerage ", c.Versions.Brokerage))
	}
	r := f.groups()[0].Runs[0]
	repeats := ""
	if n := len(f.repeats); n > 0 {
		repeats = format.Plural(n+1, "run")
	}
	return joined(", ", minute(r.Started), r.Target.Engine, joined(" ", r.Tool.Name, r.Tool.Version),
		format.Plural(r.Model.Users, "user"), repeats)
}

// stamps returns the banners of one side.
func (f *File) stamps() []banner {
	if f.Campaign != nil {
		return campaignStamps(f.Campaign, f.groups())
	}
	return stamps(f.groups())
}

func (c *Comparison) stampLines() []string {
	var lines []string
	for _, side := range c.sides() {
		for _, s := range side.stamps() {
			if s.Class != "aside" {
				lines = append(lines, side.name+" "+s.Word+": "+joined(" ", s.Text, strings.Join(s.Reasons, "; ")))
			}
		}
	}
	return lines
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
