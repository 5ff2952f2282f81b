// Package drda is a proxy between IBM's client and Apache Derby. Both speak DRDA,
// with differences that only matter to each other: the proxy takes them away
// (handshake.go), puts rewritten statements into the client's requests
// (statement.go), and gives Derby's errors the codes of Db2 (codes.go). It can
// also be unkind, for tests: cut connections, refuse new ones, delay.
//
// The names in capitals are those of the DDM standard, whose code points they are.
package drda
