-- Ten days of history, so that there is something to find and something to delete: five entries of each session and day.
INSERT INTO log_entry (session, day, entry)
SELECT s.name, d.day, xmlelement(name "Entry", xmlattributes(s.name AS session, d.day AS at, 'INFO' AS level),
                                 xmlelement(name "started", k))
FROM (SELECT 's-' || lpad(n::text, 3, '0') AS name FROM generate_series(1, 60) AS n) AS s,
     (SELECT (now() AT TIME ZONE 'UTC')::date - n AS day FROM generate_series(0, 9) AS n) AS d,
     generate_series(1, 5) AS k
WHERE NOT EXISTS (SELECT FROM log_entry AS e WHERE e.session = s.name AND e.day = d.day)
