// Package db2test is a stand-in for a Db2 server (called the bench here), for
// tests without Db2: IBM's own client and protocol, with Apache Derby for
// tables, locks and transactions, and BaseX for XQuery and XQuery Update. The
// project's statements run on it unchanged; what Db2 understands and Derby does
// not is rewritten on the wire (rewrite, drda). A test that passes here was not
// run on Db2.
//
// The bench differs from Db2, apart from its speed, as follows:
//
//   - BaseX accepts more XQuery than Db2 does; package xquery refuses the rest.
//   - There is no "currently committed": a reader waits for a writer of the same row.
//   - Table spaces, buffer pools, statistics and the like have no effect.
//   - Codes of errors come from this project's table (drda/codes.go).
//   - An XML column is a CLOB to the client.
//   - XMLVALIDATE uses the schemas of a folder; registering one only verifies that
//     it is the same, and that the calls match the manual.
//   - TRUNCATE is refused unless it is the first statement of its unit of work, as
//     on Db2, but waits for no locks, and can be rolled back.
//   - A lock is waited for three seconds, whatever CURRENT LOCK TIMEOUT says.
//
// A server is a Java process in a temporary folder. Both are removed when the test
// ends, however it ends.
package db2test
