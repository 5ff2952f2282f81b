package k8s_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// url returns the address of the Service, which this machine can reach because it is the node.
func (n *node) url(t testing.TB) string {
	t.Helper()
	return "http://" + n.kube(t, "get", "service", "brokerage", "-o", "jsonpath={.spec.clusterIP}") + ":8080"
}

// mustRequest sends a single request to the Service, and returns the body of the response.
func (n *node) mustRequest(t testing.TB, method, path, body string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	url := n.url(t) + path
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without a proxy
	var response *http.Response
	// The API knows a little earlier than the Service that a pod is ready.
	eventually(t, func() bool {
		request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+n.token)
		request.Header.Set("Content-Type", "application/xml")
		response, err = client.Do(request) //nolint:bodyclose // it is closed below
		return err == nil
	}, "%s %s is answered", method, path)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Less(t, response.StatusCode, 300, "%s %s: %s", method, path, text)
	return string(text)
}
