// Package chaostest breaks things while clients trade, and counts what becomes of their trades: a proxy that cuts,
// delays and swallows what goes through it, and traders who send again what was not answered, under the same
// idempotency key.
//
// A trader has an account that nobody else touches and one request at a time. So the position in each confirmation says
// exactly whether every trade before it counted, and counted once: it is known after each, and not only in the sum.
package chaostest
