// Package schema decides whether a document is valid, and says in plain words why not.
//
// The schemas themselves are files of package api. They are compiled once, on first use, and the result is shared:
// a Validator may be used by any number of goroutines, because every validation borrows a session of its own from a
// pool.
//
// Two readers want two different things of it. The path of a write wants a yes as fast as it can be had, so a machine
// made of the schema looks at a document first (accept.go). It knows a valid one when it sees it, if that is written in
// the usual way; everything else it leaves to the engine. Whoever sent an invalid one wants to know what was
// expected and where; the engine knows only that something is wrong, so the explanation is put together afterwards,
// from the engine's findings, a second reading of the document, and the schema's own words. That is slower and
// happens to refused documents alone.
//
// A document that the engine refuses is refused. The explanation may be less helpful than it could be where a schema
// uses what it does not understand, but it never turns a no into a yes. The other way round the engine is corrected
// twice: it takes any element that is declared globally as the document element, and it overlooks white space in
// elements that have to be empty, which XML Schema forbids and other processors, a database among them, refuse.
package schema
