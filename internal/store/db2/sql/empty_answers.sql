DELETE FROM answers
