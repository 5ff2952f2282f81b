-- The setting "box": out of the box, as the papers had it. One table space and one buffer pool for everything, of 16 KB
-- pages, since a document of up to 16,288 bytes in Db2's own form then stays in its row; everything else is for Db2
-- to decide (AUTOCONFIGURE, see configure_box.sql). Storage: schema_storage_box.sql.
-- 16,288 bytes: a row of a 16 KB page has at most 16,293, less the overhead of the one column (the papers' figure).
-- Manual: CREATE TABLE statement; XML base table row storage; Table page sizes; Adaptive compression.
CREATE TABLE custacc (cadoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;

CREATE TABLE orders (odoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;

CREATE TABLE security (sdoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW IN $storage_ALL;
