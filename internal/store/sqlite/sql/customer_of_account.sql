SELECT c.id, c.doc FROM accounts AS a JOIN customers AS c ON c.id = a.customer WHERE a.id = ?
