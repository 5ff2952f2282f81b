-- For each path of storage_paths, before the table spaces, which are then spread over all paths. The database keeps the
-- paths that it was created with.
-- Study of 2008: data on 120 disks.
-- Manual: ALTER STOGROUP statement; Adding storage paths.
ALTER STOGROUP IBMSTOGROUP ADD '$path';
