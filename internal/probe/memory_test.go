package probe_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"brokerage/internal/probe"
)

func TestUsableMemory(t *testing.T) {
	const group = "sys/fs/cgroup/pods.slice/one/memory.max"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"NoGroups": {nil, 1 << 30},
		"NoLimit":  {map[string]string{"proc/self/cgroup": "0::/pods.slice/one\n", group: "max\n"}, 1 << 30},
		"Limit":    {map[string]string{"proc/self/cgroup": "0::/pods.slice/one\n", group: "536870912\n"}, 512 << 20},
		"More":     {map[string]string{"proc/self/cgroup": "0::/pods.slice/one\n", group: "8589934592\n"}, 1 << 30},
		"OfParent": {map[string]string{
			"proc/self/cgroup": "0::/pods.slice/one\n", group: "536870912\n",
			"sys/fs/cgroup/pods.slice/memory.max": "268435456\n",
		}, 256 << 20},
		"Version1": {map[string]string{
			"proc/self/cgroup":                               "5:cpu:/a\n4:memory,hugetlb:/one\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
			"sys/fs/cgroup/memory/one/memory.limit_in_bytes": "268435456\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes":   "1048576\n",
		}, 256 << 20},
		"Namespace": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		"NoNamespace": {map[string]string{
			"proc/self/cgroup": "0::/pods.slice/one\n", "sys/fs/cgroup/memory.max": "268435456\n",
		}, 256 << 20},
	} {
		files := map[string]string{"proc/meminfo": "MemTotal:        1048576 kB\nMemFree:          9 kB\n"}
		maps.Copy(files, c.files)
		require.Equal(t, c.want, probe.At(tree(t, files)).UsableMemory(), name)
	}
	require.Zero(t, probe.At(t.TempDir()).UsableMemory(), "unknown")
}
