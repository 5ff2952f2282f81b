//go:build !unix

package main

// freeBytes is not known here; a full disk then shows when it is full.
func freeBytes(string) (free float64, known bool) { return 0, false }
