// Package pagesum makes SQLite write a checksum into every page of a database, and check it when it reads a page from
// disk.
//
// It is a thin layer over SQLite's own access to files, the VFS named [VFS]. Layout and algorithm are those of
// SQLite's extension cksumvfs (https://sqlite.org/cksumvfs.html), so that a stock sqlite3 can read such a file, and
// check it if it has that extension: 8 bytes are reserved at the end of each page (byte 20 of the file says so) and
// hold two sums of 32 bits. A sqlite3 without the extension must not write to such a file.
//
// Pages in the journal (PATH-wal) are checked too, by the sums that SQLite writes into every frame and otherwise checks
// only after a crash. So a damaged page is never moved from the journal into the database, where it would get a
// matching checksum.
//
// A page that does not match its checksum is the error SQLITE_IOERR_DATA of the statement that reads it; [Last] says
// which page that was.
package pagesum
