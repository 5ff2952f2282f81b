-- How texts of the store's tables are ordered, on which the order of a search and its pages depend.
-- Manual: SYSCAT.COLUMNS catalog view; Code set and collation combinations.
SELECT collationname FROM SYSCAT.COLUMNS WHERE tabschema = CURRENT SCHEMA AND tabname = 'SETTINGS' AND colname = 'NAME'
