// Package zdict compresses small documents with a zstd dictionary.
//
// It writes ordinary zstd (RFC 8878), which every decoder with the dictionary reads. It exists because general encoders
// prepare for each document of a few kilobytes as for the first block of a stream: they copy the dictionary's match
// tables (256 KB to 1 MB) and build entropy tables for a few hundred bytes. This encoder prepares a dictionary once:
//
//   - Its match tables are read, never written. The document has small tables of its own, which need no clearing,
//     because their entries say where the document began.
//   - Literals and sequences are coded with the dictionary's entropy tables, which fit because they were made from
//     documents of the same kind. A document without tables of its own is smaller too.
//
// Append refuses a document that is large, or has a symbol that the dictionary's tables lack; its caller then uses a
// general encoder. docs/adr/0009-packing.md has the comparison.
package zdict
