// Package telemetry provides the metrics, traces and logs of the service.
//
// Metrics have a registry of their own, no global one, and series that exist from the start: their labels come from the
// registry of transactions, never from a client, who could otherwise make as many as there are names.
package telemetry
