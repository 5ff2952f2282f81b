package testenv

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childVariable makes the program of a test start a server and wait to be killed.
const childVariable = "BROKERAGE_TEST_CHILD"

// RequireGone tests that a test that is killed leaves no server and no folder of it. While the server runs, the file
// inside exists in its folder. The test that calls it does nothing else, and is run once more as a process of its own.
func (s *Servers[S]) RequireGone(t *testing.T, shared, own func(testing.TB) S, folder func(S) string, inside string) {
	t.Helper()
	const says = "server in "
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv(childVariable) != "" {
		_, err := os.Stdout.WriteString("\n" + says + folder(own(t)) + "\n")
		must(err)
		select {}
	}
	shared(t) // skips where there can be none
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
	child.Env = append(os.Environ(), childVariable+"=1")
	out, err := child.StdoutPipe()
	must(err)
	must(child.Start())
	var dir string
	for lines := bufio.NewScanner(out); dir == "" && lines.Scan(); {
		_, dir, _ = strings.Cut(lines.Text(), says)
	}
	if dir == "" {
		t.Fatal("the child names no folder")
	}
	_, err = os.Stat(filepath.Join(dir, inside))
	must(err)
	must(child.Process.Kill())
	if child.Wait() == nil {
		t.Fatal("the child was not killed")
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there", dir)
		}
	}
}
