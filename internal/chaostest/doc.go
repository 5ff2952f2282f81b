// Package chaostest injects faults while clients trade, and counts the outcome of their trades: a proxy that cuts,
// delays and holds back connections, and traders that retry unanswered requests under the same idempotency key.
//
// Each trader has an account of its own and one request at a time. So the position in each confirmation shows exactly
// whether every trade before it counted, and counted once.
package chaostest
