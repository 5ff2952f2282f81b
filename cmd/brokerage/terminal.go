package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool { return columns(w) > 0 }

// columns returns the width of a terminal, or 0 if w is not a terminal.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// clearLine removes the line that is being redrawn, on a terminal.
func clearLine(w io.Writer) {
	if isTerminal(w) {
		_, _ = fmt.Fprint(w, "\r\x1b[K") // when even this cannot be written, nobody is left to report it to
	}
}
