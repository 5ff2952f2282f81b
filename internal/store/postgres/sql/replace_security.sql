UPDATE brokerage.securities SET doc = XMLPARSE(DOCUMENT $2::text PRESERVE WHITESPACE) WHERE symbol = $1
