INSERT INTO dictionaries (kind, body) VALUES (?1, ?2)
