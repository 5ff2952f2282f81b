// Package drda is a proxy between IBM's client and Apache Derby. Both speak
// DRDA with small differences: the proxy bridges them (handshake.go), puts
// rewritten statements into the client's requests (statement.go), and gives
// Derby's errors the codes of Db2 (codes.go). For tests, it can also cut
// connections.
//
// Names in capitals are those of code points in the DDM standard.
package drda
