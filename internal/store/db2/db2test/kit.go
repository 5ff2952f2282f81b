package db2test

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"brokerage/internal/store/db2/db2test/pinned"
	"brokerage/internal/testenv"
)

// The parts of the bench. Derby must be older than 10.15, which divides its jars
// differently.
var (
	derby = pinned.Maven("org/apache/derby/derby/10.14.2.0/derby-10.14.2.0.jar",
		"2c40eb581e5221ab33c7c796979b49ce404e7e393357c58f7bcdb30a09efca72")
	derbyNet = pinned.Maven("org/apache/derby/derbynet/10.14.2.0/derbynet-10.14.2.0.jar",
		"60420647ea4dec5fb5d2e44768411e33d2358f517c292073cc4bdd41f70deddc")

	baseX = pinned.Maven("org/basex/basex/10.7/basex-10.7.jar",
		"5041c1daca9398a11de9c78a0983b30673829e4a5f011c1f809b1c36879af1a2")

	// IBM's own archives of clidriver have no checksum to pin; the wheel of its
	// Python driver has the same files.
	wheel = pinned.PyPI("ibm-db", "d2/8c/67a13a6cee20ad264ad1c63c957e14ff043f3bf2a7550bf0a2581e7afe19/"+wheelName,
		"85c16961dc98e13dbd58209f40e8e99cf383b7b7d8f57038aa84a59e1412ba21")
)

const wheelName = "ibm_db-3.3.0-cp311-cp311-manylinux_2_34_x86_64.whl"

// cacheVariable is the environment variable for the download folder; the default is in the user's cache.
const cacheVariable = "BROKERAGE_DB2BENCH_CACHE"

// Kit is what the bench needs, on this machine.
type Kit struct {
	Jars      []string
	CLIDriver string // the folder with include and lib
	Libraries string // what clidriver's libraries need beside them; empty for a client of one's own
	classes   string // where compiled sources go
}

// clientVariable is the environment variable for a client library of one's own, the same as go_ibm_db's.
const clientVariable = "IBM_DB_HOME"

// cached returns the paths of the kit, whether or not it is there.
func cached() (cache string, k *Kit, err error) {
	cache = os.Getenv(cacheVariable)
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", nil, &testenv.NotHereError{Reason: "there is no cache folder: " + err.Error()}
		}
		cache = filepath.Join(dir, "brokerage", "db2bench")
	}
	k = &Kit{classes: filepath.Join(cache, "classes")}
	if own := os.Getenv(clientVariable); own != "" {
		k.CLIDriver = own
		return cache, k, nil
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", nil, &testenv.NotHereError{
			Reason: "clidriver is only fetched for linux/amd64; " + clientVariable + " names one of your own",
		}
	}
	home := filepath.Join(cache, strings.TrimSuffix(wheelName, ".whl"))
	k.CLIDriver, k.Libraries = filepath.Join(home, "clidriver"), filepath.Join(home, "ibm_db.libs")
	return cache, k, nil
}

// Fetch downloads the missing parts of the bench, the client library among them.
func Fetch(ctx context.Context) (*Kit, error) {
	k, err := FetchClient(ctx)
	if err != nil {
		return nil, err
	}
	for _, jar := range []pinned.File{derby, derbyNet, baseX} {
		path, err := jar.Fetch(ctx, filepath.Dir(k.classes))
		if err != nil {
			return nil, &testenv.NotHereError{Reason: "the bench cannot be fetched: " + err.Error()}
		}
		k.Jars = append(k.Jars, path)
	}
	return k, nil
}

// FetchClient downloads the client library, which is all that the driver needs, unless clientVariable names one.
func FetchClient(ctx context.Context) (*Kit, error) {
	cache, k, err := cached()
	if err != nil || k.Libraries == "" {
		return k, err
	}
	libc, err := exec.CommandContext(ctx, "getconf", "GNU_LIBC_VERSION").Output()
	if version := strings.TrimSpace(string(libc)); err != nil || !recent(version) {
		return nil, &testenv.NotHereError{Reason: fmt.Sprintf("IBM's client library needs glibc 2.34 or later (RHEL 9, "+
			"Debian 12, Ubuntu 22.04), and this machine has %q: use the trial in a container (docs/db2.md), or an older client "+
			"of your own by %s", version, clientVariable)}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	archive, err := wheel.Fetch(ctx, cache)
	if err != nil {
		return nil, &testenv.NotHereError{Reason: "clidriver cannot be fetched: " + err.Error()}
	}
	return k, once(filepath.Dir(k.CLIDriver), func(half string) error {
		return unpack(archive, half, "clidriver/", "ibm_db.libs/")
	})
}

// recent reports whether a version of the C library, as getconf prints it, is new enough for the client library.
func recent(libc string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(libc, "glibc %d.%d", &major, &minor) // n shows whether it is a version
	return n == 2 && (major > 2 || major == 2 && minor >= 34)
}

// Fetched returns the parts of the kit that a build needs, or an error if they were not fetched yet.
func Fetched() (*Kit, error) {
	_, k, err := cached()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(k.CLIDriver); err != nil {
		return nil, &testenv.NotHereError{Reason: "clidriver was not fetched yet (make build-db2): " + err.Error()}
	}
	return k, nil
}

// Environment returns the variables to build and run a program with the driver,
// as NAME=value.
func (k *Kit) Environment() []string {
	lib := filepath.Join(k.CLIDriver, "lib")
	link, load := "-L"+lib, lib+":"+filepath.Join(lib, "icc")
	if k.Libraries != "" {
		link, load = link+" -Wl,-rpath-link,"+k.Libraries, load+":"+k.Libraries
	}
	return []string{
		"CGO_ENABLED=1", "CGO_CFLAGS=-I" + filepath.Join(k.CLIDriver, "include"), "CGO_LDFLAGS=" + link,
		"LD_LIBRARY_PATH=" + load,
	}
}

// once creates and fills a folder unless it exists. It has another name until it is complete, because another process
// may create it at the same time.
func once(dir string, fill func(half string) error) (err error) {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	half, err := os.MkdirTemp(parent, "half")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(half)) }()
	if err := errors.Join(fill(half), os.Chmod(half, 0o755)); err != nil {
		return err
	}
	if err := os.Rename(half, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return err
		}
	}
	return nil
}

// unpack unpacks the given folders of an archive.
func unpack(archive, dir string, folders ...string) error {
	files, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // it is only read
	for _, f := range files.File {
		wanted := false
		for _, folder := range folders {
			wanted = wanted || strings.HasPrefix(f.Name, folder)
		}
		if !wanted || strings.HasSuffix(f.Name, "/") {
			continue
		}
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("%s is outside of the archive", f.Name)
		}
		if err := unpackFile(f, filepath.Join(dir, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(f *zip.File, path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it is only read
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, f.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
