package ci_test

import (
	"regexp"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// The workflow runs nothing unless its user accepts IBM's licence, and what it runs exists.
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

	makefile := testenv.Text(t, "../../Makefile")
	require.Contains(t, testenv.Text(t, "../docker/compose.db2.yaml"), workflow.On.Dispatch.Inputs["image"].Default)
	ran := 0
	for _, step := range job.Steps {
		for _, m := range regexp.MustCompile(`-f (\S+)`).FindAllStringSubmatch(step.Run, -1) {
			require.FileExists(t, "../../"+m[1])
			ran++
		}
		for _, m := range regexp.MustCompile(`make (\S+)`).FindAllStringSubmatch(step.Run, -1) {
			require.Regexp(t, `(?m)^`+m[1]+`:`, makefile)
			ran++
		}
	}
	require.GreaterOrEqual(t, ran, 3)
}
