// Package campaign runs a whole study of a store: it loads a database, measures its size, backs it up, and then runs
// workloads against the service over that database, each from the same restored data.
//
// A campaign is a list of steps that is known before the first one starts. After every step all measurements are
// written to campaign.json, and the same command resumes an interrupted campaign with the step that was not finished.
//
// [Subject] hides the differences between stores, and [Driver] generates the load. The service under test is a process
// of its own, so that its cost and that of the load generator are measured separately.
package campaign
