package campaign

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/drive"
)

// The progress of a campaign is written in lines, and a terminal redraws one more.
func TestTerminal(t *testing.T) {
	t.Parallel()
	w, folder := newWorld(t), t.TempDir()
	var out bytes.Buffer
	var drawn []string
	run := func() error {
		out.Reset()
		c := w.campaign(folder)
		c.Settings.Duration.Duration = 30 * time.Second
		c.Progress = &Terminal{Out: &out, Draw: func(line string) { drawn = append(drawn, line) }}
		_, err := w.run(c)
		return err
	}
	w.onRun = func(p drive.Plan) error {
		if p.Definition.Name == insertOrders && p.Populates == nil {
			return drive.ErrInterrupted
		}
		return nil
	}
	require.Error(t, run())
	text := out.String()
	require.Regexp(t, `^14 steps, 14 of them to run: the timed runs take 6:40, besides load, population and `+
		`restores; a smoke campaign, whose figures do not count\n`, text)
	require.Regexp(t, `\n 1/14  population +[\d:. ms]+  insert-customers( 50\.0/s){4}; insert-orders 500/s `, text)
	require.Regexp(t, `\n 2/14  load +[\d. ms]+  2,700 documents of 2\.70 MB, [\d,]+/s, with 0\.0 s for indexes `, text)
	require.Regexp(t, `\n 9/14  mixed, 4 users +[\d. ms]+  [\d.]+/s, p99 0\.0 ms, 3 connections\n`, text)
	require.Regexp(t, `\n10/14  insert-orders, 4 users +[\d. ms]+  interrupted\n`, text)
	require.NotRegexp(t, `(?m) $`, text, "blanks at the end of a line")
	require.Contains(t, drawn, " 2/14  load, 36 %")
	require.Empty(t, drawn[len(drawn)-1])

	w.onRun = nil
	require.NoError(t, run())
	require.Regexp(t, `^14 steps, 5 of them to run`, out.String())
	require.Regexp(t, `14/14  crash .*acknowledged 0, lost 0, applied twice 0, unknown 0`, out.String())
	require.NoError(t, run())
	require.Regexp(t, `^nothing to do: the campaign in .*campaign\.json is complete\n$`, out.String())
}
