// Package workload runs workloads against a brokerage, directly on a store or through a service, and reports the
// result.
//
// A definition (package loadtest has those of the scenario) names transactions and their weights. Each transaction is a
// value in a file of its name: how its parameters are drawn, its request, its call on a store, how its answer is
// checked. Those that a workload file defines itself are values of the same type.
//
// Users draw transactions by weight, and parameters from what GET /v1/dataset describes, so that a store receives the
// same requests with a service in front of it and without. Each user has its own random sequence, made of the seed and
// the user's number: fast answers bring a user further in its sequence, but do not change it.
//
// Users delete and close only what they have inserted and opened. So the database keeps its size, and queries find what
// they ask for to the end of the run. No query or update draws new documents, unless a workload shares them.
//
// A run follows one of two models. In the closed model a user waits for each answer before it sends its next request,
// as in the papers; a slow answer then hides the requests that it delayed. In the open model transactions are due at a
// constant rate, and their times count from when they were due, whatever delayed them.
//
// Several load generators can issue one load together, each its Share; Merge adds their results.
//
// A load generator often runs on the computer that it measures, so it must be cheap: documents are templates with a few
// gaps to fill, requests are written into reused buffers, and samples are passed in batches to one goroutine that
// counts them, so that users share neither locks nor counters.
package workload
