// Package dataset generates the benchmark's data: securities, customers and orders, at any scale from a few megabytes
// to a petabyte, in two profiles after TPoX 2.0 (the default) and TPoX 1.x.
//
// # Principles
//
// A document is a pure function of seed, profile, kind and index. Nothing is stored, nothing depends on what was
// generated before: any slice of any scale can be generated alone, on any machine, in any order, by any number of
// goroutines. The documents of a scale begin with those of the next smaller one. Only tiny is separate: it has 500
// securities instead of 20,833 and 200 customers for its orders, so references to securities or customers differ there;
// its documents are a pure function of the same things and of being tiny. A dataset of given numbers of customers and
// orders ([ScaleOf]) has the customers and securities of the named scales; the accounts of its orders are drawn over
// all of its customers, and depend on how many there are. With the numbers of any scale but tiny, it is that scale.
//
// Documents never change under a seed while [Version] stays, whatever the Go release and the processor: random numbers
// and everything made of them are integer arithmetic in this package.
//
// Documents come in the form in which the service keeps them: one line, UTF-8, no declaration, no comment, no
// empty-element tag, declarations of namespaces before other attributes.
//
// The data is as hard to compress as the kit's: generated orders have random characters where the kit's sample order
// has them. Tests compare the ratios.
//
// # Ids
//
// Customers are 1002 + k and orders 103282 + i, securities have an id attribute of i + 1. Accounts begin with
// 104000000:
//
//	tpox-2  customer k has 1 + k mod 3 accounts, without gaps over all customers:
//	        the first is 104000000 + 6·⌊k/3⌋ + (0, 1, 3)[k mod 3]
//	tpox-1  customer k has 1 + k mod 2 accounts, the first is 104000000 + 7·k
//
// The first position of every account is at least 1,000 shares of the security at index (account id mod number of
// securities). No account holds a security twice.
//
// # Symbols
//
// At every scale, seed and profile, security i has this symbol (in JavaScript; one to one for i below 36,556):
//
//	function word(n) {            // A, B, ... Z, AA, AB, ... from 0
//	  let s = "";
//	  for (n++; n > 0; n = Math.floor((n - 1) / 26))
//	    s = String.fromCharCode(65 + (n - 1) % 26) + s;
//	  return s;
//	}
//	function symbol(i) {
//	  const w = i * 22741 % 36556;
//	  if ("00100010100100010101"[i % 20] === "1") // a fund
//	    return word(18278 + 11 * w) + "X";
//	  return word(w < 18278 ? w : 18278 + 25 * (w - 18278));
//	}
//
// The type of security i is at position i mod 20 of SSsSBSmSbSSsSBSmSsSb: a stock, a bond, or a fund of stocks (s),
// bonds (b) or both (m).
//
// # What refers to what
//
// An order refers to a customer that exists at every scale that contains the order: the smallest such scale adds both,
// and each account that it adds is equally likely. So a customer has the same orders at every scale from XXXS on,
// scattered over all orders that were added with it. Securities are drawn by Zipf's law with exponent 1; the popular
// ones are scattered over the indexes.
package dataset
