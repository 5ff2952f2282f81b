-- One buffer pool and one table space for everything, of 16 KB pages, so that a document stays in its row (see
-- schema_documents.sql). deploy/db2/tuned.sql has another design.
-- Buffer pools and table spaces belong to the database, not to a schema, and their names have at most 18 bytes. So they
-- begin with the name of the schema, or with the beginning of that and a hash where it is long.
-- Manual: CREATE BUFFERPOOL statement; CREATE TABLESPACE statement; SQL and XML limits.
CREATE BUFFERPOOL $storage_ALL IMMEDIATE SIZE AUTOMATIC PAGESIZE 16 K;

CREATE TABLESPACE $storage_ALL PAGESIZE 16 K MANAGED BY AUTOMATIC STORAGE BUFFERPOOL $storage_ALL;
