// Package k8s_test holds the manifests to what docs/kubernetes.md says of them:
// they render, a real API server accepts them and refuses what is broken, and on
// a real node the service does what it should.
//
// The cluster is that of KUBECONFIG, or else one of the tests' own, made by the
// scripts in the folder that KUBE_E2E names; CONTRIBUTING.md says what they are.
package k8s_test
