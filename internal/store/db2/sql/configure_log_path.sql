-- With log_path=PATH: logs on disks of their own. Takes effect when the database is next activated.
-- Study of 2008: logs on 15 disks of their own.
-- Manual: newlogpath configuration parameter.
CALL SYSPROC.ADMIN_CMD('UPDATE DATABASE CONFIGURATION USING NEWLOGPATH $path');
