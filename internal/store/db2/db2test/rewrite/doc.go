// Package rewrite turns a statement of Db2 into one that Derby and the functions
// of the bench (java/Bench.java) understand. It works on tokens, changes what it
// knows, keeps the order of parameter markers, and refuses by name what it does
// not know: a statement that the bench would run in another sense is worse than
// one that it does not run.
//
//	XMLQUERY('…' PASSING doc AS "d")        BENCH.XQ('…', 'd:doc', doc)
//	XMLEXISTS('$d/a[@id = $i]' PASSING …)   (ROW_OF_T = (SELECT R FROM BENCH."INDEX" …) AND BENCH.XQ_EXISTS(…) = 1)
//
// Of each index over XML the bench keeps a table of keys. Where a condition in
// XMLEXISTS could use the index on Db2, by IBM's rules for types and paths, the
// rewritten statement finds its rows by that table: so updates of different rows
// do not meet, and a condition that no index serves is slow here as it is there.
package rewrite
