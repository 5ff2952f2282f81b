-- Nine more XML indexes, for a campaign that measures what indexes cost writes: no statement uses them.
-- Manual: CREATE INDEX statement (GENERATE KEY USING XMLPATTERN).
CREATE INDEX more_orders_side ON orders (odoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/@Side' AS SQL VARCHAR HASHED;

CREATE INDEX more_orders_symbol ON orders (odoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/Instrmt/@Sym' AS SQL VARCHAR HASHED;

CREATE INDEX more_orders_day ON orders (odoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://www.fixprotocol.org/FIXML-4-4"; /FIXML/Order/@TrdDt' AS SQL VARCHAR HASHED;

CREATE INDEX more_custacc_last_name ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/Name/LastName' AS SQL VARCHAR HASHED;

CREATE INDEX more_custacc_nationality ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/Nationality' AS SQL VARCHAR HASHED;

CREATE INDEX more_custacc_birth ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/DateOfBirth' AS SQL VARCHAR HASHED;

CREATE INDEX more_security_name ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Name' AS SQL VARCHAR HASHED;

CREATE INDEX more_security_type ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/SecurityType' AS SQL VARCHAR HASHED;

CREATE INDEX more_security_open ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Price/PriceToday/Open' AS SQL DOUBLE;
