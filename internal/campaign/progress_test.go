package campaign

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
)

// The progress of a campaign, as written to a file.
func TestTerminal(t *testing.T) {
	w, folder := newWorld(t), t.TempDir()
	var out bytes.Buffer
	c := w.campaign(folder)
	c.Progress = &Terminal{Out: &out}
	c.Settings.Duration.Duration = 30 * time.Second
	w.onRun = func(p load) error {
		if p.workload == insertOrders && !p.populates {
			return drive.ErrInterrupted
		}
		return nil
	}
	require.Error(t, w.run(c))
	text := out.String()
	require.Regexp(t, `^16 steps, 16 of them to run: the runs of planned length take 6:40, beside load, population and `+
		`restores; a smoke campaign, whose figures do not count\n`, text)
	require.Regexp(t, `\n 2/16  population +[\d:. s]+  insert-customers 50, 50, 50, 50/s; insert-orders 500, `, text)
	require.Regexp(t, `\n 3/16  load +7\.0 s  2,700 documents of [\d.]+ MB, 386/s, with 0\.0 s for indexes `, text)
	require.Regexp(t, `\n11/16  mixed, 4 users +51 s  3/s, p99 0\.0 ms, 3 connections\n`, text)
	require.Regexp(t, `\n12/16  insert-orders, 4 users +\d+ s  interrupted\n`, text)
	require.NotRegexp(t, `(?m) $`, text, "blanks at the end of a line")

	out.Reset()
	w.onRun = nil
	c = w.campaign(folder)
	c.Progress, c.Settings.Duration.Duration = &Terminal{Out: &out}, 30*time.Second
	require.NoError(t, w.run(c))
	require.Regexp(t, `^16 steps, 5 of them to run`, out.String())
	require.Regexp(t, `16/16  crash +\d+ s  .*acknowledged 0, lost 0, twice 0, unknown 0`, out.String())

	out.Reset()
	require.NoError(t, w.run(c))
	require.Regexp(t, `^nothing to do: the campaign in .*campaign\.json is complete\n$`, out.String())
}

// On a terminal the line of a step is redrawn, and erased at the end of the step.
func TestTerminal_Redraws(t *testing.T) {
	var drawn []string
	term := &Terminal{Out: io.Discard, Draw: func(line string) { drawn = append(drawn, line) }}
	r := &Record{Steps: []Step{{Name: "mixed", Kind: KindRun, State: Planned}, {State: Planned}}}
	term.began(0, r)
	term.within(.25)
	r.Steps[0].State = Done
	term.ended(0, r)
	require.Contains(t, drawn, "1/2  mixed, 25 %")
	require.Empty(t, drawn[len(drawn)-1])
}
