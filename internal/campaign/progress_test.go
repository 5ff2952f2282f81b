package campaign

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
)

// The progress of a campaign, as written to a file.
func TestTerminal(t *testing.T) {
	w, folder := newWorld(t), t.TempDir()
	var out bytes.Buffer
	c := w.campaign(folder)
	c.Progress = Terminal(&out, 0, nil)
	c.Settings.Duration = 30
	c.Settings.Limit = 1500
	w.onRun = func(p Pressure) error {
		if p.Workload == classic {
			return drive.ErrInterrupted
		}
		return nil
	}
	require.Error(t, w.run(c))
	text := out.String()
	lines := strings.Split(text, "\n")
	require.Regexp(t, `^24 steps, \d+ of them to run, about 1\d:\d\d; a smoke campaign, whose figures do not count$`,
		lines[0])
	require.Regexp(t, `\n 2/24  load +7\.0 s +\d+:\d\d  2,700 documents, 450/s with indexes\n`, text)
	require.Regexp(t, `\n 4/24  space +0\.0 s +\d+:\d\d  1\.00 kB, 50\.0 % of the documents\n`, text)
	require.Regexp(t, `\n10/24  mixed, 4 users +51 s +\d+:\d\d  3/s, p99 0\.0 ms\n`, text)
	require.Regexp(t, `\n11/24  classic, 4 users +\d+ s +\d+:\d\d  interrupted\n`, text)
	require.NotRegexp(t, `(?m) $`, text, "blanks at the end of a line")

	out.Reset()
	w.onRun = nil
	c = w.campaign(folder)
	c.Progress, c.Settings.Duration, c.Settings.Limit = Terminal(&out, 0, nil), 30, 1500
	require.NoError(t, w.run(c))
	require.Regexp(t, `^24 steps, 14 of them to run`, out.String())
	require.Contains(t, out.String(), "staged inserts")
	require.Regexp(t, `orders 10, 10, 10, 10/s; customers 10, 10, 10, 10/s`, out.String())

	out.Reset()
	require.NoError(t, w.run(c))
	require.Regexp(t, `^nothing to do: the campaign in .*campaign\.json is complete\n$`, out.String())
}

// On a terminal the line of a step is redrawn, never wider than the terminal, and erased at the end of the step.
func TestTerminal_Wide(t *testing.T) {
	var out bytes.Buffer
	redraw := func(line string) { _, _ = fmt.Fprintf(&out, "\r%s\x1b[K", line) }
	term := Terminal(&out, 40, redraw).(*terminal)
	r := &Record{Steps: []Step{{Name: strings.Repeat("long ", 20), Kind: KindRun, State: Planned, Expected: 60},
		{State: Planned, Expected: 90}}}
	term.Began(0, r)
	term.redraw()
	term.Within(0.5)
	r.Steps[0].State = Done
	term.Ended(0, r)
	drawn := regexp.MustCompile("\r([^\r\x1b]*)\x1b\\[K").FindAllStringSubmatch(out.String(), -1)
	require.GreaterOrEqual(t, len(drawn), 2)
	for _, line := range drawn {
		require.Less(t, len(line[1]), 40)
	}
	require.Empty(t, drawn[len(drawn)-1][1])

	out.Reset()
	term = Terminal(&out, 200, redraw).(*terminal)
	term.Began(0, &Record{Steps: []Step{{Name: "mixed", Kind: KindRun, State: Planned, Expected: 60},
		{State: Planned, Expected: 9.4}}})
	term.Within(.25)
	term.redraw()
	term.Ended(0, r) // ends the goroutine that draws
	require.Contains(t, out.String(), "1/2  mixed, 25 %  0 s of about 1:00, then about 9 s")
}
