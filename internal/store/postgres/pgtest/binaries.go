package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"brokerage/internal/testenv"
)

// binVariable names the folder of the server's programs. Without it, the installed server is taken.
const binVariable = "BROKERAGE_POSTGRES_BIN"

// binaries returns the folder with initdb, pg_ctl and postgres.
func binaries() (string, error) {
	bin := os.Getenv(binVariable)
	if bin == "" {
		if bin = installed(); bin == "" {
			return "", &testenv.NotHereError{Reason: "PostgreSQL is not installed, and " + binVariable + " names no folder"}
		}
		return bin, nil
	}
	if _, err := os.Stat(filepath.Join(bin, "initdb")); err != nil {
		return "", fmt.Errorf("%s: %w", binVariable, err)
	}
	return bin, nil
}

// installed returns the folder of the installed server's programs, or "". Debian does not have it in the path, but
// pg_config prints it.
func installed() string {
	out, _ := command("pg_config", "--bindir").Output()
	path, _ := exec.LookPath("initdb")
	for _, dir := range []string{strings.TrimSpace(string(out)), filepath.Dir(path)} {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil && dir != "" && dir != "." {
			return dir
		}
	}
	return ""
}

// command returns a command that has no deadline.
func command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), name, args...)
}
