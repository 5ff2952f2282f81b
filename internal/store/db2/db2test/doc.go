// Package db2test is a stand-in for a Db2 server (called the bench here), for
// tests without Db2: IBM's own client and protocol, with Apache Derby for
// tables, locks and transactions, and BaseX for XQuery and XQuery Update. The
// project's statements run on it unchanged; what Db2 understands and Derby does
// not is rewritten on the wire (rewrite, drda). A test that passes here was not
// run on Db2.
//
// The bench differs from Db2, apart from its speed, as follows:
//
//   - BaseX takes more XQuery than Db2 does; package xquery refuses the rest.
//   - There is no "currently committed": a reader waits for a writer of the same row.
//   - Table spaces, buffer pools, statistics and the like mean nothing.
//   - Codes of errors are this project's table (drda/codes.go).
//   - An XML column is a CLOB to the client.
//   - XMLVALIDATE takes the schemas of a folder; registering one only holds that it
//     is the same, and that the calls are as the manual has them.
//   - TRUNCATE is refused where it is not the first of its unit of work, as on Db2,
//     but waits for nobody's locks, and can be rolled back.
//   - A lock is waited for three seconds, whatever CURRENT LOCK TIMEOUT says.
//
// A server is a Java process in a temporary folder, which ends, and takes the folder
// away, when the test does, however that ends.
package db2test
