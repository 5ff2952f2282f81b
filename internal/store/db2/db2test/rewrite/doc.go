// Package rewrite turns a statement of Db2 into one that Derby and the functions of the bench (java/Bench.java)
// understand. It works on tokens and keeps the order of parameter markers. It refuses what it does not support, and
// names it in the error: running a statement with another meaning would be worse than refusing it.
//
//	XMLQUERY('…' PASSING doc AS "d")        BENCH.XQ('…', 'd:doc', doc)
//	XMLEXISTS('$d/a[@id = $i]' PASSING …)   (ROW_OF_T = BENCH.ROW_BY_KEY('INDEX', …) AND BENCH.XQ_EXISTS(…) = 1)
//
// For each index over XML the bench has a table of keys. If an equality in XMLEXISTS could use the index on Db2, by
// IBM's rules for types and paths, the rewritten statement finds its rows by that table. So updates of different rows
// do not conflict, and a condition without an index is slow, as on Db2.
package rewrite
