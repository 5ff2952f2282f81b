package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool { return columns(w) > 0 }

// columns returns the width of a terminal, or 0 if w is not a terminal.
func columns(w io.Writer) int {
	if p, ok := w.(printable); ok {
		w = p.Writer
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// printable is an output of a command. Much of what commands print comes from files and services, and must not control
// a terminal.
type printable struct{ io.Writer }

func (p printable) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.Writer, printableText(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// printableText replaces each unprintable character by a JSON escape such as \u001b, because a log may be JSON, or by
// U+FFFD if it is above U+FFFF. Tabs and the ends of lines stay.
func printableText(text string) string {
	special := func(r rune) bool { return !unicode.IsGraphic(r) && r != '\n' && r != '\t' || r == utf8.RuneError }
	if strings.IndexFunc(text, special) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !special(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			b.WriteRune(utf8.RuneError)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// redraw replaces the line that it wrote last by as much of the new one as fits into the terminal's width.
func redraw(w io.Writer, line string) {
	if letters, width := []rune(line), columns(w); width > 0 && len(letters) >= width {
		line = string(letters[:width-1])
	}
	if p, ok := w.(printable); ok {
		w = p.Writer
	}
	_, _ = fmt.Fprint(w, "\r", printableText(line), "\x1b[K") // when even this fails, nobody is left to report it to
}

// clearLine removes the line that is being redrawn, on a terminal.
func clearLine(w io.Writer) {
	if isTerminal(w) {
		redraw(w, "")
	}
}

// progress returns a function that shows the state of a long command: on a terminal by redrawing one line, elsewhere
// by a line a minute.
func (s streams) progress() func(line string) {
	draws, said := isTerminal(s.err), time.Now()
	return func(line string) {
		switch {
		case draws:
			redraw(s.err, line)
		case time.Since(said) >= time.Minute:
			said = time.Now()
			s.notice(line)
		}
	}
}
