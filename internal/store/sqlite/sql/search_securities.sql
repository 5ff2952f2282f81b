-- All hits as one text, because the driver allocates memory for each row and each column. U+001F ends a column and
-- U+001E a hit: no XML document can contain them. The caller sorts the hits, which costs less than ORDER BY.
SELECT coalesce(group_concat(concat_ws(char(31), symbol, name, type, pe_text, yield_text), char(30)), '')
FROM securities
WHERE sector = ? AND pe >= ? AND pe < ? AND yield > ? AND symbol > ?
