module namespace m = "urn:brokerage:basex";

declare namespace s = "http://tpox-benchmark.com/security";

declare %rest:GET %rest:path("/v1/securities/{$symbol}") %output:method("xml")
function m:get-security($symbol as xs:string) {
  let $security := db:text("security", $symbol)/parent::s:Symbol/parent::s:Security
  return if ($security) then $security else web:error(404, "no such security")
};
