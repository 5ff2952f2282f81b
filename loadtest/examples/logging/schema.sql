-- The entries, and a row for each session. The entries have the header in columns and in the document, the body only there.
CREATE TABLE IF NOT EXISTS log_entry (
  session text NOT NULL,
  day     date NOT NULL,
  id      bigint GENERATED ALWAYS AS IDENTITY,
  entry   xml NOT NULL,
  PRIMARY KEY (session, day, id)
)
