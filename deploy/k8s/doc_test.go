// Package k8s_test checks the manifests against docs/kubernetes.md: they render, a real API server accepts them and
// refuses broken ones, and on a real node the service works as described.
//
// The cluster is the one of KUBECONFIG, or else one that the tests start with the scripts in the folder that KUBE_E2E
// names; CONTRIBUTING.md describes them.
package k8s_test
