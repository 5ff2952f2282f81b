package k8s_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// restrictedV2 returns what the SCC restricted-v2 of OpenShift finds wrong with a pod. Users and groups of files are in
// the range of the namespace, which nobody knows beforehand, so a pod must name none.
func restrictedV2(spec any) (wrong []string) {
	complain := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	for _, shared := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		complain(at(spec, shared) == true, "%s", shared)
	}
	for _, v := range list(spec, "volumes") {
		for kind := range v.(map[string]any) {
			complain(!slices.Contains([]string{"name", "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral",
				"persistentVolumeClaim", "projected", "secret"}, kind), "volume %s", kind)
		}
	}
	contexts := []any{at(spec, "securityContext")}
	for _, c := range slices.Concat(list(spec, "initContainers"), list(spec, "containers")) {
		contexts = append(contexts, at(c, "securityContext"))
		complain(at(c, "securityContext", "privileged") == true, "privileged")
		complain(at(c, "securityContext", "allowPrivilegeEscalation") == true, "allowPrivilegeEscalation")
		for _, capability := range list(c, "securityContext", "capabilities", "add") {
			complain(capability != "NET_BIND_SERVICE", "capability %s", capability)
		}
	}
	for _, c := range contexts {
		for _, field := range []string{"runAsUser", "fsGroup"} {
			id := at(c, field)
			complain(id != nil, "%s %v is not in the range of the namespace", field, id)
		}
		profile := text(c, "seccompProfile", "type")
		complain(profile != "" && profile != "RuntimeDefault", "seccompProfile %s", profile)
	}
	return wrong
}

// With the component, every pod is one that restricted-v2 admits, except those of Db2's image, which runs as root.
func TestOpenShift_RestrictedV2(t *testing.T) {
	for _, overlay := range overlays(t) {
		name := filepath.Base(overlay)
		kustomization := "resources: [%[1]s/" + overlay + "]\ncomponents: [%[1]s/components/openshift]\n"
		for _, o := range compose(t, kustomization) {
			if template := o.template(); template != nil && !theirs(o) {
				assert.Empty(t, restrictedV2(at(template, "spec")), "%s: %s %s", name, o.kind(), o.name())
				assert.Equal(t, true, at(template, "spec", "securityContext", "runAsNonRoot"), "%s: %s", name, o.name())
			}
		}
	}
}
