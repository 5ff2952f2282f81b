-- The eight XML indexes. A query can use one only if it compares by the type that the index
-- has and the index holds every node that the query compares: each statement's file says which one serves it.
-- Ids are digits without leading zeros, so that as text they are equal when they are equal as numbers; INTEGER would be too
-- small for the larger scales, and BIGINT there is not. UNIQUE holds over all documents and within one.
-- Manual: CREATE INDEX statement (GENERATE KEY USING XMLPATTERN); UNIQUE keyword semantics; Data types associated with index
-- pattern expressions; Guidelines for matching indexes with queries overview.
CREATE UNIQUE INDEX custacc_id ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/@id' AS SQL VARCHAR(20);

CREATE UNIQUE INDEX custacc_account ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/Accounts/Account/@id' AS SQL VARCHAR(20);

CREATE UNIQUE INDEX orders_id ON orders (odoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/@ID' AS SQL VARCHAR(20);

CREATE INDEX orders_account ON orders (odoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/@Acct' AS SQL VARCHAR(20);

CREATE UNIQUE INDEX security_symbol ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Symbol' AS SQL VARCHAR(28);

-- Sectors of securities that are not validated may be of any length: HASHED takes them all, and serves equality.
CREATE INDEX security_sector ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/SecurityInformation/*/Sector' AS SQL VARCHAR HASHED;

CREATE INDEX security_pe ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/PE' AS SQL DOUBLE;

CREATE INDEX security_yield ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Yield' AS SQL DOUBLE;
