INSERT INTO dictionaries (kind, body) VALUES (?, ?)
