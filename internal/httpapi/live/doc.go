// Package live is what the service does at this moment, for people who watch.
//
// It is beside the metrics and not made from them: they count since the start,
// in buckets that fit alerts, and leave rates and percentiles to who reads them.
// Here both are made, once a second and for all watchers together, and while
// nobody watches, a request costs one look at a flag.
package live
