// Package campaign runs a whole study of a store: it makes a database, loads it, measures its size, backs it up, and
// then runs workloads against the service over that database, each from the same restored data.
//
// A campaign is a list of steps that is known, with the time that each will take, before the first one begins. After
// every step all that was measured is written to campaign.json; the same command goes on from there, whatever ended it.
// A step is the unit of that: one that was not finished is done again, from the data as they were when they had been
// loaded.
//
// What differs between stores is behind [Engine]; what makes the load is behind [Driver]. The service under test is a
// process of its own, so that what it costs and what the load generator costs are known apart.
package campaign
