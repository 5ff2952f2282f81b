package k8s_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// step is when Argo CD applies an object: one phase after the other, and in it one wave after the other. A step begins
// when the one before is complete: its Jobs have ended, and its workloads are ready.
type step struct{ phase, wave int }

func (s step) after(other step) bool {
	return s.phase > other.phase || s.phase == other.phase && s.wave > other.wave
}

// stepOf reads the annotations of an object. Those without any belong to wave 0 of the phase Sync.
func stepOf(t testing.TB, o object) (s step) {
	t.Helper()
	annotation := func(name string) string { return text(o, "metadata", "annotations", "argocd.argoproj.io/"+name) }
	if hook := annotation("hook"); hook != "" {
		phase := slices.Index([]string{"PreSync", "Sync", "PostSync"}, hook)
		require.GreaterOrEqual(t, phase, 0, hook)
		s.phase = phase - 1
	}
	if wave := annotation("sync-wave"); wave != "" {
		var err error
		s.wave, err = strconv.Atoi(wave)
		require.NoError(t, err)
	}
	return s
}

// host finds the names of Services in the URLs of arguments and settings.
var host = regexp.MustCompile(`//(?:[^/@\s]*@)?([a-z0-9-]+)[:/]`)

// references returns what has to exist before an object can become ready, as KIND/NAME: the account of its pods, what
// they mount, the databases that they call and the policies about them, or the target of an autoscaler.
func references(t testing.TB, o object, all []object) (names []string) {
	t.Helper()
	names = append(names, "Deployment/"+text(o, "spec", "scaleTargetRef", "name"))
	template := o.template()
	if template == nil {
		return names
	}
	spec := at(template, "spec")
	names = append(names, "ServiceAccount/"+text(spec, "serviceAccountName"))
	for _, v := range list(spec, "volumes") {
		names = append(names, "ConfigMap/"+text(v, "configMap", "name"), "Secret/"+text(v, "secret", "secretName"),
			"PersistentVolumeClaim/"+text(v, "persistentVolumeClaim", "claimName"))
	}
	settings := fmt.Sprint(at(spec, "containers"))
	for _, c := range list(spec, "containers") {
		for _, from := range list(c, "envFrom") {
			name := text(from, "configMapRef", "name")
			names = append(names, "ConfigMap/"+name)
			settings += fmt.Sprint(at(find(t, all, "ConfigMap", name), "data"))
		}
	}
	for _, found := range host.FindAllStringSubmatch(settings, -1) {
		names = append(names, "Service/"+found[1], "StatefulSet/"+found[1])
	}
	labels := at(template, "metadata", "labels")
	for _, policy := range all {
		if policy.kind() == "NetworkPolicy" && selects(t, at(policy, "spec", "podSelector"), labels) {
			names = append(names, "NetworkPolicy/"+policy.name())
		}
	}
	return names
}

// unordered returns each reference to an object that Argo CD applies only after the object that needs it is ready, and
// which therefore blocks the sync for ever.
func unordered(t testing.TB, all []object) (blocked []string) {
	t.Helper()
	for _, o := range all {
		for _, name := range references(t, o, all) {
			for _, needed := range all {
				if needed.kind()+"/"+needed.name() == name && stepOf(t, needed).after(stepOf(t, o)) {
					blocked = append(blocked, fmt.Sprintf("%s/%s needs %s", o.kind(), o.name(), name))
				}
			}
		}
	}
	return blocked
}

// No object needs one that Argo CD applies later, and a sync deletes the Job of the one before.
func TestArgoCD_Order(t *testing.T) {
	jobs := 0
	for overlay, all := range everything(t) {
		assert.Empty(t, unordered(t, all), overlay)
		for _, o := range all {
			if o.name() == "brokerage-migrate" {
				jobs++
				policy := text(o, "metadata", "annotations", "argocd.argoproj.io/hook-delete-policy")
				assert.Equal(t, "BeforeHookCreation", policy, "%s: a Job cannot be changed", overlay)
			}
		}
	}
	require.Positive(t, jobs)
}
