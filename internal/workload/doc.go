// Package workload runs workloads against a brokerage and says what came of it.
//
// A definition (package loadtest has those of the scenario) names transactions
// and weights. Users draw transactions by weight, and parameters from what a
// client may rely on: all they know of the data is what GET /v1/dataset says, so
// that a store is met by the same requests whether there is a service in between
// or not. Each user has a random sequence of its own, made of the seed and its
// number; how quick the answers are changes how far a user comes, never what it
// draws.
//
// Users delete and close only what they have inserted and opened, so the
// database keeps its size, and queries do not decay into misses.
//
// A run has two models. In the closed one a user waits for an answer before the
// next request, which is how the papers measured; a slow answer then hides the
// requests that it kept from being made. In the open one transactions are due at
// a constant rate, and their time is counted from when they were due, whatever
// held them up.
//
// The load generator often shares a computer with what it loads, so it must be
// cheap: documents are templates with a few gaps filled, requests are written
// into buffers that are used again, and what was measured goes to one collecting
// goroutine in batches, so that users share neither locks nor counters.
package workload
