-- The setting "tuned", as the papers had it: see schema_storage_tuned.sql. Documents longer than the row are in the table
-- space that LONG IN names.
-- Manual: CREATE TABLE statement; XML base table row storage; Adaptive compression.
CREATE TABLE custacc (cadoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN $storage_CUST INDEX IN $storage_CUSTX LONG IN $storage_CUSTL;

CREATE TABLE orders (odoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN $storage_ORD INDEX IN $storage_ORDX LONG IN $storage_ORDL;

CREATE TABLE security (sdoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN $storage_SEC INDEX IN $storage_SECX LONG IN $storage_SECL;
