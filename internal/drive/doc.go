// Package drive is the load generator: it runs a workload against a target, which is a store in this process or a
// service, and returns the result. It prints nothing.
//
// A run follows one of two models. In the closed model a user waits for each answer before it sends its next request,
// as in the papers; a slow answer then hides the requests that it delayed. In the open model transactions are due at a
// rate, by default as independent clients send them (Poisson), and their times count from when they were due, whatever
// delayed them.
//
// Each user of a service has a connection of its own. Several load generators can issue one load together, each its
// share; result.Merge merges their results.
//
// A load generator often runs on the computer that it measures, so it must be cheap: users pass on their records in
// batches, so that they seldom wait for a lock.
package drive
