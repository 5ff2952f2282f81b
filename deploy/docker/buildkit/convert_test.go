package buildkit_test

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/solver/pb"
	"github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"
)

// root is the folder of the project.
const root = "../../.."

// bases answers for a registry: every base image exists for every platform.
type bases struct{}

func (bases) ResolveImageConfig(
	_ context.Context, ref string, opt sourceresolver.Opt,
) (string, digest.Digest, []byte, error) {
	platform := opt.ImageOpt.Platform
	config := fmt.Sprintf(`{"os":%q,"architecture":%q,"rootfs":{"type":"layers","diff_ids":["sha256:%064d"]}}`,
		platform.OS, platform.Architecture, 1)
	return ref, "", []byte(config), nil
}

// options are those of a build on linux/amd64 for a processor.
func options(processor string) dockerfile2llb.ConvertOpt {
	return dockerfile2llb.ConvertOpt{
		Config: dockerui.Config{
			BuildPlatforms: []ocispecs.Platform{{OS: "linux", Architecture: "amd64"}},
		},
		TargetPlatform: &ocispecs.Platform{OS: "linux", Architecture: processor},
		MetaResolver:   bases{},
	}
}

// step is a RUN line as BuildKit executes it.
type step struct {
	*pb.Meta

	processor string // that of the machine or of the emulation that executes it
}

// steps converts a Dockerfile and returns its RUN lines.
func steps(t *testing.T, file, processor string) (all []step) {
	t.Helper()
	text, err := os.ReadFile("../" + file)
	require.NoError(t, err)
	result, err := dockerfile2llb.Dockerfile2LLB(t.Context(), text, options(processor))
	require.NoError(t, err)
	definition, err := result.State.Marshal(t.Context())
	require.NoError(t, err)
	for _, bytes := range definition.Def {
		var op pb.Op
		require.NoError(t, op.UnmarshalVT(bytes))
		if run := op.GetExec(); run != nil {
			all = append(all, step{run.GetMeta(), op.GetPlatform().GetArchitecture()})
		}
	}
	return all
}

// find returns the step whose command contains a text.
func find(t *testing.T, all []step, text string) step {
	t.Helper()
	i := slices.IndexFunc(all, func(s step) bool { return strings.Contains(strings.Join(s.Args, " "), text) })
	require.GreaterOrEqual(t, i, 0, "no RUN contains %s", text)
	return all[i]
}

// run executes a step on this machine, in the sources, with the variables that BuildKit gives it.
func (s step) run(t *testing.T, replace ...string) (string, error) {
	t.Helper()
	args := slices.Clone(s.Args)
	for i := range args {
		args[i] = strings.NewReplacer(replace...).Replace(args[i])
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = root
	cmd.Env = slices.Concat(os.Environ(), s.Env, []string{"PATH=" + os.Getenv("PATH")})
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The image for a processor contains a program for that processor, by its ELF header.
func TestDockerfile_Platforms(t *testing.T) {
	for processor, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(processor, func(t *testing.T) {
			build := find(t, steps(t, "Dockerfile", processor), "go build")
			require.Equal(t, "amd64", build.processor, "the compiler is not emulated")
			out := t.TempDir()
			said, err := build.run(t, "/out", out, "GOMODCACHE=/go/pkg/mod", "")
			require.NoError(t, err, said)
			program, err := elf.Open(filepath.Join(out, "brokerage"))
			require.NoError(t, err)
			require.Equal(t, machine, program.Machine)
			require.NoError(t, program.Close())
		})
	}
}

// IBM's driver exists for amd64 only: a build for another processor stops, and says so.
func TestDockerfileDb2_Guard(t *testing.T) {
	const guard = "IBM's driver"
	said, err := find(t, steps(t, "Dockerfile.db2", "arm64"), guard).run(t)
	require.Error(t, err)
	require.Contains(t, said, "arm64")
	said, err = find(t, steps(t, "Dockerfile.db2", "amd64"), guard).run(t)
	require.NoError(t, err, said)
}

// BuildKit's own checks (docker build --check) find nothing.
func TestDockerfile_Checks(t *testing.T) {
	for _, file := range []string{"Dockerfile", "Dockerfile.db2"} {
		text, err := os.ReadFile("../" + file)
		require.NoError(t, err)
		opt := options("amd64")
		opt.SourceMap = llb.NewSourceMap(nil, file, "Dockerfile", text)
		opt.SourceMap.Definition = new(llb.Definition)
		found, err := dockerfile2llb.DockerfileLint(t.Context(), text, opt)
		require.NoError(t, err)
		require.Nil(t, found.Error, file)
		for _, warning := range found.Warnings {
			t.Errorf("%s: %s: %s", file, warning.RuleName, warning.Detail)
		}
	}
}
