package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The profile of releases is of this source. What a profile says about functions that are gone, and about lines of
// another version of a module, the compiler ignores silently: `make profile` writes a new one.

func TestProfile_Functions(t *testing.T) {
	declared := declaredFunctions(t)
	var all, own, known float64
	var gone []string
	for function, weight := range profileWeights(t) {
		all += weight
		folder, name, method := sourceName(function)
		if !strings.HasPrefix(folder, "brokerage/") {
			continue
		}
		own += weight
		if declared[folder+"."+name] || declared[folder+"."+method] {
			known += weight
		} else {
			gone = append(gone, function)
		}
	}
	require.Greater(t, own/all, .05, "a profile of another program")
	require.Greater(t, known/own, .9, "make profile: functions are gone: %q", gone)
}

func TestProfile_Modules(t *testing.T) {
	weights, all := profileWeights(t), 0.0
	for _, weight := range weights {
		all += weight
	}
	profile := profileText(t)
	mod, err := os.ReadFile(here + "/go.mod")
	require.NoError(t, err)
	for _, module := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1) {
		of := 0.0
		for function, weight := range weights {
			if strings.HasPrefix(function, module[1]) {
				of += weight
			}
		}
		same := strings.Contains(profile, module[1]+"@"+module[2]+"/")
		require.True(t, same || of/all < .05, "make profile: %.0f %% of it are of another %s", 100*of/all, module[1])
	}
}

// profileWeights returns by function how much time was spent in calls of it, as the compiler reads it.
func profileWeights(t testing.TB) map[string]float64 {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "tool", "preprofile", "-i", profileFile).Output()
	require.NoError(t, err)
	// A header, and for each call three lines: the caller, the called function, the place and the weight.
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	weights := make(map[string]float64)
	for i := 1; i+2 < len(lines); i += 3 {
		_, text, _ := strings.Cut(lines[i+2], " ")
		weight, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err, lines[i+2])
		weights[lines[i+1]] += weight
	}
	return weights
}

func profileText(t testing.TB) string {
	t.Helper()
	packed, err := os.ReadFile(profileFile)
	require.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	text, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	return string(text)
}

// notInSource is what the compiler's names of functions have and their declarations do not: pointers, type parameters,
// and the suffixes of wrappers.
var notInSource = regexp.MustCompile(`\(\*|\)|\[.*\]|-\w+$`)

// sourceName returns the package of a function, and the function or method that it is, or is written in.
func sourceName(function string) (folder, name, method string) {
	function = notInSource.ReplaceAllString(function, "")
	slash := strings.LastIndexByte(function, '/') + 1
	parts := append(strings.SplitN(function[slash:], ".", 4), "", "")
	return function[:slash] + parts[0], parts[1], parts[1] + "." + parts[2]
}

// declaration is the beginning of a function, as gofmt writes it: the receiver's type, and the name.
var declaration = regexp.MustCompile(`(?m)^func (?:\((?:\w+ )?\*?(\w+)[^)]*\) )?(\w+)`)

// declaredFunctions returns the functions and methods of this project, with their packages.
func declaredFunctions(t testing.TB) map[string]bool {
	t.Helper()
	declared := make(map[string]bool)
	require.NoError(t, filepath.WalkDir(here+"/internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		folder := strings.Replace(filepath.ToSlash(filepath.Dir(path)), here, "brokerage", 1) + "."
		for _, found := range declaration.FindAllSubmatch(text, -1) {
			name := string(found[2])
			if len(found[1]) > 0 {
				name = string(found[1]) + "." + name
			}
			declared[folder+name] = true
		}
		declared[folder+"init"], declared[folder+"glob"] = true, true // functions in variables
		return err
	}))
	return declared
}
