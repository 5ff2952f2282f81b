//go:build !unix

package main

// diskSpace is not known here; a full disk then shows when it is full.
func diskSpace(string) (free, size float64, known bool) { return 0, 0, false }
