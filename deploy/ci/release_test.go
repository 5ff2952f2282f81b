package ci_test

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// recorder stands in for a program that uses the network: it records its arguments, and writes the digest of an image
// to the file of --metadata-file.
const recorder = `#!/bin/bash
echo "${0##*/} $*" >>"$CALLS"
[[ " $* " != *" -f - "* ]] || cat >/dev/null
while [ $# -gt 0 ]; do
  [ "$1" != --metadata-file ] || printf '{\n  "containerimage.digest": "sha256:12ab"\n}\n' >"$2"
  shift
done
`

// releaseSteps returns the commands of the job that releases.
func releaseSteps(t *testing.T) (steps []string) {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Needs string
			Steps []struct{ Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(testenv.Text(t, "release.yaml")), &workflow))
	require.Equal(t, "test", workflow.Jobs["release"].Needs)
	for _, step := range workflow.Jobs["release"].Steps {
		if step.Run != "" {
			steps = append(steps, step.Run)
		}
	}
	return steps
}

// Each step of the workflow runs, as GitHub would run it, for one system; only docker, cosign and gh are recorders.
func TestRelease_Steps(t *testing.T) {
	testenv.Long(t)
	if runtime.GOOS != "linux" {
		t.Skip("the workflow is for Linux")
	}
	bash := testenv.Command(t, "bash")
	dir := t.TempDir()
	for _, name := range []string{"docker", "cosign", "gh"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(recorder), 0o700)) //nolint:gosec // a program
	}
	calls, variables := filepath.Join(dir, "calls"), filepath.Join(dir, "env")
	require.NoError(t, os.WriteFile(variables, nil, 0o600))
	dist := filepath.Join(dir, "dist")
	env := append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "CALLS="+calls, "DIST="+dist, "RUNNER_TEMP="+dir,
		"PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH, "GH_TOKEN=secret", "GITHUB_ENV="+variables,
		"GITHUB_REF_NAME=v0.1.0", "GITHUB_SHA=0123abc", "GITHUB_REPOSITORY=Some/Brokerage", "GITHUB_ACTOR=somebody",
		"GITHUB_SERVER_URL=https://github.com", "GITHUB_WORKFLOW_REF=Some/Brokerage/release.yaml@v0.1.0")
	for _, step := range releaseSteps(t) {
		cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-eo", "pipefail", "-u", "-c", step)
		cmd.Dir, cmd.Env = "../..", slices.Concat(env, strings.Fields(testenv.Text(t, variables)))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", step, out)
	}

	said := testenv.Text(t, calls)
	const image = "ghcr.io/some/brokerage"
	for _, call := range []string{
		"docker buildx build --platform linux/amd64,linux/arm64 -f deploy/docker/Dockerfile -t " + image + ":0.1.0 ",
		"--build-arg REVISION=0123abc ",
		"cosign sign --yes " + image + "@sha256:12ab " + image + "/manifests@sha256:12ab\n",
		"docker buildx build --provenance=false -t " + image + "/manifests:0.1.0 --push ",
		"cosign sign-blob --yes --bundle " + dist + "/SHA256SUMS.sigstore.json " + dist + "/SHA256SUMS\n",
		"gh release create v0.1.0 --verify-tag ",
		" " + dist + "/SHA256SUMS",
	} {
		require.Contains(t, said, call)
	}
	require.NotContains(t, said, "secret")
	requireRelease(t, dist)
}

// requireRelease requires a program with its bill of materials, and right checksums.
func requireRelease(t *testing.T, dist string) {
	t.Helper()
	name := "brokerage-0.1.0-" + runtime.GOOS + "-" + runtime.GOARCH
	sums := testenv.Text(t, filepath.Join(dist, "SHA256SUMS"))
	for _, file := range []string{name, name + ".cdx.json"} {
		sum := sha256.Sum256([]byte(testenv.Text(t, filepath.Join(dist, file))))
		require.Contains(t, sums, hex.EncodeToString(sum[:])+"  "+file+"\n")
	}
	var bill struct {
		Format   string `json:"bomFormat"`
		Metadata struct {
			Component struct{ Name, Version string }
		}
		Components []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal([]byte(testenv.Text(t, filepath.Join(dist, name+".cdx.json"))), &bill))
	require.Equal(t, "CycloneDX", bill.Format)
	require.Equal(t, "brokerage", bill.Metadata.Component.Name)
	require.Equal(t, "0.1.0", bill.Metadata.Component.Version)
	info, err := buildinfo.ReadFile(filepath.Join(dist, name))
	require.NoError(t, err)
	require.Len(t, bill.Components, len(info.Deps)+1, "the modules and the standard library")
}

// Actions are pinned to a commit: a tag may be moved.
func TestRelease_Pinned(t *testing.T) {
	actions := regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(testenv.Text(t, "release.yaml"), -1)
	require.NotEmpty(t, actions)
	for _, action := range actions {
		require.Regexp(t, `@[0-9a-f]{40}$`, action[1])
	}
}

// A version other than the tag in the manifests is not released.
func TestRelease_OtherVersion(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), testenv.Command(t, "make"), "release", "VERSION=9.9.9", "DIST="+t.TempDir())
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "has another tag than VERSION=9.9.9")
}
