-- Which server this is: a replica has the system identifier of its primary, and the same database has the same oid there.
SELECT s.system_identifier::text, d.oid::text, pg_is_in_recovery()
FROM pg_control_system() AS s, pg_database AS d
WHERE d.datname = current_database()
