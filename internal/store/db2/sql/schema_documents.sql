-- The documents, one a row. Each is inlined, that is, stays in its row, if it has at most 16,288 bytes in Db2's own form: a
-- row of a 16 KB page has at most 16,293, less the overhead of the one column (the papers' figure).
-- Manual: CREATE TABLE statement; XML base table row storage; Table page sizes; Adaptive compression.
CREATE TABLE custacc (cadoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;

CREATE TABLE orders (odoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;

CREATE TABLE security (sdoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;
