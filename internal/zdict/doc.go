// Package zdict compresses small documents with a zstd dictionary.
//
// What it writes is ordinary zstd (RFC 8878), which every decoder reads that has the dictionary. It is here because of
// where the time goes when documents of a few kilobytes are packed one by one: general encoders prepare for each of
// them as if it were the first block of a stream, copying the dictionary's match tables (256 KB to 1 MB) and building
// entropy tables for a few hundred bytes. This one prepares a dictionary once:
//
//   - its match tables are read, never written; the document has small ones of
//     its own, which need no clearing, because their entries carry where the
//     document began;
//   - literals and sequences are coded with the dictionary's entropy tables,
//     which fit because they were made from documents of the same kind. A
//     document carries no tables, which is also smaller.
//
// A document that this does not fit (it is large, or has a symbol that the dictionary's tables lack) is refused by
// Append, and its caller takes a general encoder instead.
package zdict
