package k8s_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// selects reports whether a label selector selects labels; an empty one selects all.
func selects(t testing.TB, selector, labels any) bool {
	t.Helper()
	known, _ := labels.(map[string]any)
	wanted, _ := at(selector, "matchLabels").(map[string]any)
	for key, value := range wanted {
		if known[key] != value {
			return false
		}
	}
	for _, e := range list(selector, "matchExpressions") {
		value, there := known[text(e, "key")]
		in := there && slices.Contains(list(e, "values"), value)
		ok, known := map[string]bool{"In": in, "NotIn": !in, "Exists": there, "DoesNotExist": !there}[text(e, "operator")]
		require.True(t, known, fmt.Sprint(e))
		if !ok {
			return false
		}
	}
	return true
}
