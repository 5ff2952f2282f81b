-- The setting "tuned", as the papers had it: for each table a table space and a buffer pool of its own, and others for its
-- indexes, so that a scan of one does not drive out the pages of another, and so that hit ratios can be told apart. Sizes
-- are AUTOMATIC: the self-tuning memory manager moves memory to the pool that gains most.
-- Documents longer than the row go to the table space that LONG IN names.
-- Manual: CREATE BUFFERPOOL statement; CREATE TABLESPACE statement; CREATE TABLE statement; XML base table row storage;
-- Self-tuning memory; Adaptive compression.
CREATE BUFFERPOOL tpox_bp_custacc IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL tpox_bp_orders IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL tpox_bp_security IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL tpox_bp_custacc_x IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL tpox_bp_orders_x IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;
CREATE BUFFERPOOL tpox_bp_security_x IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;

CREATE TABLESPACE tpox_custacc PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_custacc;
CREATE TABLESPACE tpox_custacc_x PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_custacc_x;
CREATE LARGE TABLESPACE tpox_custacc_l PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_custacc;
CREATE TABLESPACE tpox_orders PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_orders;
CREATE TABLESPACE tpox_orders_x PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_orders_x;
CREATE LARGE TABLESPACE tpox_orders_l PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_orders;
CREATE TABLESPACE tpox_security PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_security;
CREATE TABLESPACE tpox_security_x PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_security_x;
CREATE LARGE TABLESPACE tpox_security_l PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL tpox_bp_security;

CREATE TABLE custacc (cadoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN tpox_custacc INDEX IN tpox_custacc_x LONG IN tpox_custacc_l;

CREATE TABLE orders (odoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN tpox_orders INDEX IN tpox_orders_x LONG IN tpox_orders_l;

CREATE TABLE security (sdoc XML NOT NULL INLINE LENGTH 16288) COMPRESS YES ADAPTIVE ORGANIZE BY ROW
  IN tpox_security INDEX IN tpox_security_x LONG IN tpox_security_l;
