-- Manual: TRUNCATE statement (it has to be the first of its transaction).
TRUNCATE TABLE security IMMEDIATE
