package k8s_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"brokerage/internal/testenv"
)

// everything is each overlay and each variant, rendered.
func everything(t testing.TB) map[string][]object {
	t.Helper()
	all := make(map[string][]object)
	for _, overlay := range overlays(t) {
		all[filepath.Base(overlay)] = render(t, overlay)
	}
	for name, kustomization := range variants {
		all[name] = compose(t, kustomization)
	}
	return all
}

// theirs reports whether the image of a pod needs more rights than the project's: see components/db2.
func theirs(o object) bool {
	return strings.HasPrefix(o.name(), "brokerage-db2") && o.template() != nil
}

// size reads 512Mi, 460MiB or 1Gi.
func size(t testing.TB, s string) float64 {
	t.Helper()
	digits := strings.TrimRight(s, "GMKiB")
	n, err := strconv.ParseFloat(digits, 64)
	require.NoError(t, err, s)
	unit := map[string]float64{"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}[strings.TrimSuffix(s[len(digits):], "B")]
	require.NotZero(t, unit, "not a size: %s", s)
	return n * unit
}

func number(t testing.TB, v any, path ...string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(fmt.Sprint(at(v, path...))))
	require.NoError(t, err, "%v of %v", path, v)
	return n
}

func TestConventions_Pods(t *testing.T) {
	for overlay, all := range everything(t) {
		for _, o := range all {
			template := o.template()
			if template == nil {
				continue
			}
			t.Run(overlay+"/"+o.kind()+"/"+o.name(), func(t *testing.T) {
				spec := at(template, "spec")
				require.Equal(t, false, at(spec, "automountServiceAccountToken"))
				require.Equal(t, false, at(spec, "enableServiceLinks"))
				for _, c := range list(spec, "containers") {
					require.NotEmpty(t, text(c, "resources", "requests", "cpu"))
					require.NotEmpty(t, text(c, "resources", "requests", "memory"))
					require.NotEmpty(t, text(c, "resources", "limits", "memory"))
					if theirs(o) {
						require.Equal(t, false, at(c, "securityContext", "privileged"))
						continue
					}
					require.Equal(t, true, at(c, "securityContext", "readOnlyRootFilesystem"))
				}
			})
		}
	}
}

// Every image has a tag, without which nodes would ask a registry for an image that was only loaded onto them, and the
// project's own images have one tag, also in the commands that build them.
func TestConventions_Images(t *testing.T) {
	own := text(list(objects(t, testenv.Text(t, "components/image/kustomization.yaml"))[0], "images")[0], "newTag")
	require.NotEmpty(t, own)
	for overlay, all := range everything(t) {
		for _, o := range all {
			for _, c := range list(o.template(), "spec", "containers") {
				name, tag, _ := strings.Cut(text(c, "image"), ":")
				require.NotContains(t, []string{"", "latest"}, tag, "%s: %s %s: %s", overlay, o.kind(), o.name(), name)
				policy := text(c, "imagePullPolicy") // of an image with a tag, the default is IfNotPresent
				require.Contains(t, []string{"", "IfNotPresent"}, policy, "%s: %s", overlay, o.name())
				if strings.HasPrefix(name, "brokerage") {
					require.Equal(t, own, tag, "%s: %s %s", overlay, o.kind(), o.name())
				}
			}
		}
	}
	for _, file := range []string{"../../docs/kubernetes.md", "../docker/Dockerfile", "../docker/Dockerfile.db2"} {
		content := testenv.Text(t, file)
		tags := regexp.MustCompile(`(?:-t|docker-image) brokerage(?:-db2)?(\S*)`).FindAllStringSubmatch(content, -1)
		require.NotEmpty(t, tags, file)
		for _, m := range tags {
			require.Equal(t, ":"+own, strings.TrimRight(m[1], "`."), "%s: %s", file, m[0])
		}
	}
}

func TestConventions_Labels(t *testing.T) {
	for overlay, all := range everything(t) {
		for _, o := range all {
			labels := at(o, "metadata", "labels")
			require.Equal(t, "brokerage", text(labels, "app.kubernetes.io/part-of"), "%s: %s %s", overlay, o.kind(), o.name())
			if o.template() != nil {
				require.NotEmpty(t, text(o.template(), "metadata", "labels", "app.kubernetes.io/component"),
					"%s: %s %s", overlay, o.kind(), o.name())
			}
		}
	}
}

// service returns the workload that runs the service.
func service(t testing.TB, all []object) object {
	t.Helper()
	for _, o := range all {
		if o.name() == "brokerage" && (o.kind() == "Deployment" || o.kind() == "StatefulSet") {
			return o
		}
	}
	return nil
}

func TestConventions_Service(t *testing.T) {
	served := 0
	for overlay, all := range everything(t) {
		workload := service(t, all)
		if workload == nil {
			continue
		}
		served++
		t.Run(overlay, func(t *testing.T) {
			c := workload.container()
			settings := at(find(t, all, "ConfigMap", "brokerage"), "data")

			// Only readiness depends on the database.
			require.Equal(t, "/healthz", text(c, "startupProbe", "httpGet", "path"))
			require.Equal(t, "/healthz", text(c, "livenessProbe", "httpGet", "path"))
			require.Equal(t, "/readyz", text(c, "readinessProbe", "httpGet", "path"))
			require.GreaterOrEqual(t,
				number(t, c, "startupProbe", "periodSeconds")*number(t, c, "startupProbe", "failureThreshold"), 300)

			// The whole shutdown fits into the grace period.
			end := time.Duration(number(t, c, "lifecycle", "preStop", "sleep", "seconds")) * time.Second
			for _, name := range []string{"BROKERAGE_DRAIN_DELAY", "BROKERAGE_SHUTDOWN_TIMEOUT"} {
				step, err := time.ParseDuration(text(settings, name))
				require.NoError(t, err)
				end += step
			}
			grace := number(t, workload.template(), "spec", "terminationGracePeriodSeconds")
			require.Less(t, end, time.Duration(grace)*time.Second)

			limit := size(t, text(c, "resources", "limits", "memory"))
			share := 0.9
			if overlay == "db2" || overlay == "db2-dev" {
				share = 0.625 // the driver, which is written in C, uses the rest
			}
			env := list(c, "env")
			require.InDelta(t, share, size(t, text(named(env, "GOMEMLIMIT"), "value"))/limit, 0.01)
			require.Nil(t, named(env, "GOMAXPROCS"), "Go follows the limit")
			require.NotEmpty(t, text(c, "resources", "limits", "cpu"))

			budget := find(t, all, "PodDisruptionBudget", "brokerage")
			require.Equal(t, at(workload, "spec", "selector"), at(budget, "spec", "selector"))
			require.Equal(t, at(workload, "spec", "selector", "matchLabels"),
				at(find(t, all, "Service", "brokerage"), "spec", "selector"))
			find(t, all, "NetworkPolicy", "brokerage-default-deny")
		})
	}
	require.Equal(t, 14, served)
}

// The overlay for an external database takes each URL from the Secret of its role.
func TestConventions_External(t *testing.T) {
	all := render(t, "overlays/external")
	fromSecret := func(kind, name, variable, secret string) {
		t.Helper()
		e := named(list(find(t, all, kind, name).container(), "env"), variable)
		require.Equal(t, map[string]any{"name": secret, "key": "url"}, at(e, "valueFrom", "secretKeyRef"))
	}
	fromSecret("Deployment", "brokerage", "BROKERAGE_DB", "brokerage-database")
	fromSecret("Job", "brokerage-migrate", "URL", "brokerage-database-owner")
	migrate := find(t, all, "Job", "brokerage-migrate").container()
	require.Equal(t, []any{"migrate", "--wait", "--db", "$(URL)"}, list(migrate, "args"))
	rules := list(find(t, all, "NetworkPolicy", "to-database"), "spec", "egress")
	require.Len(t, rules, 1)
	require.Nil(t, at(rules[0], "to"), "it may be anywhere")
}

// Every setting in a manifest exists, and is documented.
func TestConventions_Settings(t *testing.T) {
	readme := testenv.Text(t, "../../docs/commands.md")
	source := testenv.Text(t, "../../internal/service/config.go")
	variable := regexp.MustCompile(`BROKERAGE_[A-Z_]+`)
	for overlay, all := range everything(t) {
		for _, name := range variable.FindAllString(dump(t, all...), -1) {
			flag := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "BROKERAGE_")), "_", "-")
			if !strings.Contains(readme, "--"+flag) {
				t.Errorf("docs/commands.md has no --%s, which %s sets", flag, overlay)
			}
			field := strings.ToLower(strings.ReplaceAll(flag, "-", ""))
			if !strings.Contains(strings.ToLower(source), "\t"+field+" ") {
				t.Errorf("serve has no --%s, which %s sets", flag, overlay)
			}
		}
	}
}

// Every script, library, workload and template is in a ConfigMap, none of which is too large.
func TestConventions_LoadTest(t *testing.T) {
	all := render(t, "overlays/loadtest")
	const most = 1 << 20
	there := make(map[string]bool)
	for _, o := range all {
		if o.kind() != "ConfigMap" {
			continue
		}
		require.Less(t, len(dump(t, o)), most, o.name())
		data, _ := at(o, "data").(map[string]any)
		for key := range data {
			there[key] = true
		}
	}
	for _, pattern := range []string{"*.js", "lib/*.js", "transactions/*.js", "workloads/*.json", "templates/*.json"} {
		files, err := filepath.Glob("../../loadtest/" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			if name := filepath.Base(file); name != "workload.schema.json" {
				require.True(t, there[name], file)
			}
		}
	}
}

// With a bucket, a backup is made and then uploaded, and a restore begins with what it fetches.
func TestConventions_BackupS3(t *testing.T) {
	names := func(o object, path ...string) (all []string) {
		for _, c := range list(o.template(), path...) {
			all = append(all, text(c, "name"))
		}
		return all
	}
	night := find(t, compose(t, variants["backup-s3"]), "CronJob", "brokerage-backup")
	require.Equal(t, []string{"backup"}, names(night, "spec", "initContainers"))
	require.Equal(t, []string{"upload"}, names(night, "spec", "containers"))
	all := compose(t, variants["restore-s3"])
	restore := find(t, all, "Job", "brokerage-restore")
	require.Equal(t, []string{"fetch"}, names(restore, "spec", "initContainers"))
	fetch := list(list(restore.template(), "spec", "initContainers")[0], "args")
	require.Equal(t, fetch[2], list(restore.container(), "args")[2])
	require.Contains(t, fetch, "--error-on-no-transfer", "or an object that is missing would be no error")
	require.Equal(t, text(night.container(), "image"),
		text(list(restore.template(), "spec", "initContainers")[0], "image"))

	// The kustomization of docs/kubernetes.md sets bucket and endpoint.
	shown := documented(t, "cat >backups/kustomization.yaml <<'EOF'\n", "EOF\n")
	set := compose(t, strings.ReplaceAll(shown, "../deploy/k8s", "%[1]s"))
	settings := at(find(t, set, "ConfigMap", "backup-s3"), "data")
	require.Equal(t, "https://objects.example.com", text(settings, "RCLONE_CONFIG_S3_ENDPOINT"))

	const component = "app.kubernetes.io/component"
	require.Equal(t, text(restore.template(), "metadata", "labels", component),
		text(find(t, all, "NetworkPolicy", "to-backup-s3"), "spec", "podSelector", "matchLabels", component))
}

// KEDA's autoscaler has the bounds of the one that it replaces.
func TestConventions_Keda(t *testing.T) {
	replaced := find(t, render(t, "overlays/postgres"), "HorizontalPodAutoscaler", "brokerage")
	all := compose(t, variants["keda"])
	require.False(t, slices.ContainsFunc(all, func(o object) bool { return o.kind() == "HorizontalPodAutoscaler" }))
	scaled := find(t, all, "ScaledObject", "brokerage")
	require.Equal(t, at(replaced, "spec", "minReplicas"), at(scaled, "spec", "minReplicaCount"))
	require.Equal(t, at(replaced, "spec", "maxReplicas"), at(scaled, "spec", "maxReplicaCount"))
	require.Equal(t, at(replaced, "spec", "behavior"),
		at(scaled, "spec", "advanced", "horizontalPodAutoscalerConfig", "behavior"))
	triggers := list(scaled, "spec", "triggers")
	require.Equal(t, number(t, list(replaced, "spec", "metrics")[0], "resource", "target", "averageUtilization"),
		number(t, triggers[0], "metadata", "value"))

	// The query is one, of metrics that the service has.
	query := text(triggers[1], "metadata", "query")
	rules := testenv.File(t, "rules.yml", dump(t, object{"groups": []any{map[string]any{
		"name": "keda", "rules": []any{map[string]any{"record": "keda", "expr": query}},
	}}}))
	out, err := exec.CommandContext(t.Context(), testenv.Command(t, "promtool"), "check", "rules", rules).CombinedOutput()
	require.NoError(t, err, "%s", out)
	metrics := testenv.Text(t, "../../docs/observability.md")
	for _, name := range regexp.MustCompile(`brokerage_\w+`).FindAllString(query, -1) {
		require.Contains(t, metrics, "`"+name+"`")
	}
}

// The runners of k6-operator have what the pod of overlays/loadtest has, except a volume for results.
func TestConventions_TestRun(t *testing.T) {
	all := render(t, "overlays/loadtest-operator")
	run := find(t, all, "TestRun", "loadtest")
	runner := at(run, "spec", "runner")
	job := find(t, render(t, "overlays/loadtest"), "Job", "loadtest")
	container := job.container()
	require.Equal(t, text(container, "image"), text(runner, "image"))
	require.Equal(t, at(container, "resources"), at(runner, "resources"))
	without := func(of []any) (rest []any) {
		return slices.DeleteFunc(slices.Clone(of), func(v any) bool { return text(v, "name") == "results" })
	}
	require.Equal(t, without(list(container, "volumeMounts")), list(runner, "volumeMounts"))
	require.Equal(t, without(list(job.template(), "spec", "volumes")), list(runner, "volumes"))
	settings := find(t, all, "ConfigMap", "loadtest")
	require.Equal(t, settings.name(), text(list(runner, "envFrom")[0], "configMapRef", "name"))
	require.Equal(t, fmt.Sprintf("auto/%d", number(t, run, "spec", "parallelism")), text(settings, "data", "PART"))
	for _, of := range []any{runner, at(run, "spec", "starter")} {
		require.Equal(t, at(container, "securityContext"), at(of, "containerSecurityContext"))
		require.Equal(t, "loadtest", text(of, "metadata", "labels", "app.kubernetes.io/component"))
	}
}

// What the load of Db2 and of the embedded store needs, and nothing of PostgreSQL.
func TestConventions_Loads(t *testing.T) {
	for overlay, of := range map[string]string{"load-embedded": "embedded", "load-db2": "db2"} {
		all := render(t, "overlays/"+overlay)
		job := dump(t, find(t, all, "Job", "brokerage-load"))
		require.NotContains(t, job, "pgpass", overlay)
		require.NotContains(t, job, "PGPASSFILE", overlay)
		with := service(t, render(t, "overlays/"+of)).container()
		require.Equal(t, text(with, "image"), text(find(t, all, "Job", "brokerage-load").container(), "image"))
	}
	// The StatefulSet uses the claim that the load has made.
	claim := find(t, render(t, "overlays/load-embedded"), "PersistentVolumeClaim", "data-brokerage-0")
	workload := service(t, render(t, "overlays/embedded"))
	wanted := list(workload, "spec", "volumeClaimTemplates")[0]
	require.Equal(t, text(wanted, "metadata", "name")+"-"+workload.name()+"-0", claim.name())
	require.Equal(t, at(wanted, "spec"), at(claim, "spec"))
	settings := at(find(t, render(t, "overlays/embedded"), "ConfigMap", "brokerage"), "data")
	load := find(t, render(t, "overlays/load-embedded"), "ConfigMap", "brokerage-load")
	require.Equal(t, text(settings, "BROKERAGE_DB"), text(load, "data", "URL"))
}

// With database-tls, every pod that uses the database verifies its certificate, by the CA that is mounted.
func TestConventions_DatabaseTLS(t *testing.T) {
	all := slices.Concat(render(t, "overlays/external-tls"), compose(t, variants["load-tls"]))
	for name, kind := range map[string]string{
		"brokerage": "Deployment", "brokerage-migrate": "Job", "brokerage-load": "Job",
	} {
		o := find(t, all, kind, name)
		env := list(o.container(), "env")
		require.Equal(t, "verify-full", text(named(env, "PGSSLMODE"), "value"), name)
		mount := named(list(o.container(), "volumeMounts"), "database-ca")
		require.NotNil(t, mount, name)
		require.Equal(t, text(mount, "mountPath")+"/ca.crt", text(named(env, "PGSSLROOTCERT"), "value"), name)
		volume := named(list(o.template(), "spec", "volumes"), "database-ca")
		require.Equal(t, "brokerage-database-ca", text(volume, "configMap", "name"), name)
	}
}
