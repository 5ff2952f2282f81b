// Package workload is what a load consists of: mixes, the parameters that users draw, and the calls of the
// transactions, over HTTP and on a store.
//
// A definition (package loadtest has those of the scenario) names transactions and their weights. Each transaction is a
// value in a file of its name: how its parameters are drawn, its request, its call on a store, how its answer is
// checked. Those that a workload file defines itself are values of the same type.
//
// Users draw transactions by weight, and parameters from what GET /v1/dataset describes, so that a store receives the
// same requests with a service in front of it and without. Each user has its own random sequence, made of the seed and
// the user's number: fast answers bring a user further in its sequence, but do not change it.
//
// Users delete and close only what they inserted and opened. So queries find what they ask for until a run ends, and
// the workload mixed keeps the database's size. No query or update draws new documents, unless a workload shares them.
//
// Documents are templates with a few gaps to fill, and only the beginning of an answer is checked, because a load
// generator often runs on the computer that it measures.
package workload
