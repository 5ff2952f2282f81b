// Package live streams figures of what the service does at this moment, for people who watch.
//
// It does not use the metrics: they count since the start, in buckets that suit alerts, and leave rates and percentiles
// to their reader. Here both are computed once a second for all watchers together. While nobody watches, a request
// costs one load of a flag.
package live
