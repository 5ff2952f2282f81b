package k8s_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// url returns where the Service is, which this machine reaches, being the node.
func (n *node) url(t testing.TB) string {
	t.Helper()
	return "http://" + n.kube(t, "get", "service", "brokerage", "-o", "jsonpath={.spec.clusterIP}") + ":8080"
}

// mustRequest sends a single request to the Service; it gives the answer to a good
// one.
func (n *node) mustRequest(t testing.TB, method, path, body string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	url := n.url(t) + path
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // of no proxy
	var response *http.Response
	// That a pod is ready is known to the API a little before it is to the Service.
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

// fetch returns the answer to a request, empty if there is none yet.
func fetch(request *http.Request) string {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return ""
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(text)
}
