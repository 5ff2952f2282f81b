package ci_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// The workflow runs nothing unless its user accepts IBM's licence. It then runs the trial of compose.db2.yaml.
func TestDB2(t *testing.T) {
	var workflow struct {
		On struct {
			Dispatch struct {
				Inputs map[string]struct{ Default string }
			} `yaml:"workflow_dispatch"`
		}
		Jobs map[string]struct {
			If    string
			Env   map[string]string
			Steps []struct{ Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(testenv.Text(t, "db2.yaml")), &workflow))
	require.Equal(t, "decline", workflow.On.Dispatch.Inputs["license"].Default)
	job := workflow.Jobs["db2"]
	require.Equal(t, "inputs.license == 'accept'", job.If)
	require.Equal(t, "${{ inputs.license }}", job.Env["DB2_LICENSE"])

	require.Contains(t, testenv.Text(t, compose), workflow.On.Dispatch.Inputs["image"].Default)
	require.Contains(t, strings.Join(steps(job.Steps), "\n"),
		"docker compose -f deploy/docker/compose.db2.yaml --profile trial run --rm trial\n")
}

func steps(list []struct{ Run string }) (runs []string) {
	for _, step := range list {
		runs = append(runs, step.Run)
	}
	return runs
}

const compose = "../docker/compose.db2.yaml"

// services returns the services of compose.db2.yaml.
func services(t testing.TB) (all map[string]service) {
	t.Helper()
	var file struct{ Services map[string]service }
	require.NoError(t, yaml.Unmarshal([]byte(testenv.Text(t, compose)), &file))
	return file.Services
}

type service struct {
	Entrypoint, Command []string
	Healthcheck         struct{ Test []string }
	Profiles            []string
	DependsOn           map[string]struct{ Condition string } `yaml:"depends_on"`
	Environment         map[string]string
	Volumes             []string
	WorkingDir          string `yaml:"working_dir"`
}

// stub writes programs, and returns a PATH in which they come before others of the same names.
func stub(t testing.TB, programs map[string]string) (path string) {
	t.Helper()
	folder := t.TempDir()
	for name, script := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script), 0o755))
	}
	return folder + ":/usr/local/bin:/usr/bin:/bin"
}

// The server is healthy when a connection succeeds, and only then. The text is run as Docker runs it.
func TestDB2_Healthy(t *testing.T) {
	test := services(t)["db2"].Healthcheck.Test
	require.Equal(t, "CMD-SHELL", test[0])
	for db2, healthy := range map[string]bool{`[ "$*" = "connect to TPOX" ]`: true, "exit 4": false} {
		path := stub(t, map[string]string{"su": `[ "$1 $2 $3" = "- tpox -c" ] && exec sh -c "$4"`, "db2": db2})
		check := exec.CommandContext(t.Context(), "/bin/sh", "-c", test[1])
		check.Env = []string{"PATH=" + path}
		require.Equal(t, healthy, check.Run() == nil, db2)
	}
}

// The log of the server's own entry point is also in the volume, and its process is the first in the container.
func TestDB2_Log(t *testing.T) {
	of := services(t)["db2"]
	require.Contains(t, of.Volumes, "db2:/database")
	folder := t.TempDir()
	setup := filepath.Join(folder, "setup.sh")
	require.NoError(t, os.WriteFile(setup, []byte("#!/bin/sh\necho $$ >$0.pid\necho '(*) Setup has completed.'\n"), 0o755))
	inside := strings.NewReplacer("/var/db2_setup/lib/setup_db2_instance.sh", setup, "/database", folder)
	var arguments []string
	for _, argument := range of.Entrypoint {
		arguments = append(arguments, inside.Replace(argument))
	}
	entry := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
	output, err := entry.CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "(*) Setup has completed.\n", string(output))
	require.Equal(t, string(output), testenv.Text(t, filepath.Join(folder, "setup.log")))
	require.Equal(t, fmt.Sprint(entry.Process.Pid), strings.TrimSpace(testenv.Text(t, setup+".pid")))
}

// The trial waits for the end of the setup, leaves an archive with the server's log whatever fails, and exits with 1
// after a failure.
func TestDB2_Trial(t *testing.T) {
	of := services(t)["trial"]
	require.Equal(t, []string{"trial"}, of.Profiles)
	require.Equal(t, "service_healthy", of.DependsOn["db2"].Condition)
	require.Equal(t, "/src", of.WorkingDir)
	require.Contains(t, of.Volumes, "../..:"+of.WorkingDir)
	require.Contains(t, of.Volumes, "db2:"+of.Environment["DB2_LOGS"]+":ro")
	for name, c := range map[string]struct {
		make, tests string
		status      int
		files       []string
	}{
		"Confirmed": {"exit 0", "exit 0", 0, []string{"README.md", "tests.txt", "db2diag.log", "setup.log"}},
		"Refused":   {"exit 0", "exit 1", 1, []string{"README.md", "tests.txt", "db2diag.log", "setup.log"}},
		"NotBuilt":  {"echo no compiler; exit 2", "exit 0", 1, []string{"build.txt", "db2diag.log", "setup.log"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			logs, evidence := filepath.Join(folder, "database"), filepath.Join(folder, "db2-evidence")
			require.NoError(t, os.MkdirAll(filepath.Join(logs, "dump"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(logs, "dump", "db2diag.log"), []byte("diag\n"), 0o644))
			command := exec.CommandContext(t.Context(), of.Command[0], of.Command[1:]...)
			command.Dir = "../.."
			command.Env = []string{"DB2_EVIDENCE=" + evidence, "DB2_LOGS=" + logs, "DB2_DSN=" + of.Environment["DB2_DSN"],
				"PATH=" + stub(t, map[string]string{
					"make":  c.make,
					"sleep": "echo '(*) Setup has completed.' >>" + filepath.Join(logs, "setup.log"),
					"go": `[ "$1" = run ] && exec echo "export LD_LIBRARY_PATH=/client"` + "\n" +
						`[ "$LD_LIBRARY_PATH" = /client ] && echo "# a page" >"$DB2_EVIDENCE/README.md"` + "\n" + c.tests,
				})}
			output, err := command.CombinedOutput()
			require.Equal(t, c.status, command.ProcessState.ExitCode(), "%v: %s", err, output)
			archive, err := exec.CommandContext(t.Context(), "tar", "tzf", evidence+".tgz").Output()
			require.NoError(t, err)
			for _, file := range c.files {
				require.Contains(t, string(archive), "db2-evidence/"+file+"\n")
			}
		})
	}
}
