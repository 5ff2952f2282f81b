// Package db2test starts servers that stand in for Db2, for tests. README.md says what they are, and how they differ
// from Db2.
//
// A server is a Java process in a temporary folder. Both are gone when the tests have ended, however they ended.
package db2test
