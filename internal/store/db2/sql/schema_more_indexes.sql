-- Sixteen more XML indexes, for a campaign that measures what indexes cost writes: no statement uses them.
-- Study of 2006: 24 XML indexes, of which 10 on customers, 5 on orders and 9 on securities. The paths were not published, so
-- these are ours. The insert test of 2008 had 2 on customers and 2 on orders, as schema_indexes.sql has.
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

CREATE INDEX more_custacc_residence ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/CountryOfResidence' AS SQL VARCHAR HASHED;

CREATE INDEX more_custacc_status ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/BankingInfo/CustomerStatus' AS SQL VARCHAR HASHED;

CREATE INDEX more_custacc_postal_code ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/Addresses/Address/PostalCode' AS SQL VARCHAR HASHED;

CREATE INDEX more_custacc_email ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/Addresses/EmailAddresses/Email' AS SQL VARCHAR HASHED;

CREATE INDEX more_custacc_symbol ON custacc (cadoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/custacc"; /Customer/Accounts/Account/Holdings/Position/Symbol' AS SQL VARCHAR HASHED;

CREATE INDEX more_security_name ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Name' AS SQL VARCHAR HASHED;

CREATE INDEX more_security_type ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/SecurityType' AS SQL VARCHAR HASHED;

CREATE INDEX more_security_open ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Price/PriceToday/Open' AS SQL DOUBLE;

CREATE INDEX more_security_industry ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/SecurityInformation/*/Industry' AS SQL VARCHAR HASHED;

CREATE INDEX more_security_last_trade ON security (sdoc) GENERATE KEY USING XMLPATTERN
  'declare default element namespace "http://tpox-benchmark.com/security"; /Security/Price/LastTrade' AS SQL DOUBLE;
