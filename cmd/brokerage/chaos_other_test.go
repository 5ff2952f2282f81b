//go:build !linux

package main

import (
	"testing"

	"brokerage/internal/testenv"
)

// memoryCgroup exists on Linux only.
type memoryCgroup struct{}

func memoryGroup(t testing.TB, _ int64) *memoryCgroup {
	t.Helper()
	testenv.Missing(t, "cgroup", "control groups are Linux's")
	return nil
}

func (*memoryCgroup) add(int) {}

func (*memoryCgroup) most() int64 { return 0 }
