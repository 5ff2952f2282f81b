// Package telemetry is what the service tells of itself: metrics, traces and logs.
//
// Metrics have a registry of their own, no global one, and series that exist from the start: their labels come from the
// registry of transactions, never from a client, who could otherwise make as many as there are names.
package telemetry
