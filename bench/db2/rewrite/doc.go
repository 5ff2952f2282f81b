// Package rewrite rewrites a statement of Db2 for Derby and the functions of the bench (java/Bench.java). It works on
// tokens, knows what the store's statements use, keeps the order of parameter markers, and refuses by name what it does
// not know: a statement that ran with another meaning would be worse than one that does not run.
//
//	XMLQUERY('…' PASSING doc AS "d")        BENCH.XQ('…', 'd:doc', doc)
//	XMLEXISTS('$d/a[@id = $i]' PASSING …)   (ROW_OF_T = (SELECT R FROM BENCH."INDEX" …) AND BENCH.XQ_EXISTS(…) = 1)
//
// For each index over XML with keys of type VARCHAR the bench keeps a table of keys. Where Db2 could use the index for
// a condition in XMLEXISTS, by IBM's rules for types and paths, the rewritten statement finds its rows by that table,
// so that updates of different rows do not wait for each other.
package rewrite
