module namespace m = "urn:brokerage:basex";

declare namespace s = "http://tpox-benchmark.com/security";

declare %rest:GET %rest:path("/v1/securities") %output:method("xml")
  %rest:query-param("sector", "{$sector}") %rest:query-param("peMin", "{$peMin}")
  %rest:query-param("peMax", "{$peMax}") %rest:query-param("yieldMin", "{$yieldMin}")
function m:search-securities($sector as xs:string, $peMin as xs:double, $peMax as xs:double, $yieldMin as xs:double) {
  let $hits := db:text("security", $sector)/parent::s:Sector/../parent::s:SecurityInformation/parent::s:Security
    [s:PE >= $peMin and s:PE < $peMax and s:Yield > $yieldMin]
  return
    <Securities xmlns="http://tpox-benchmark.com/security" count="{count($hits)}">{
      for $hit in $hits
      order by $hit/s:Symbol
      return
        <Security>{
          $hit/s:Symbol, $hit/s:Name, $hit/s:SecurityType,
          <Sector>{$sector}</Sector>, $hit/s:PE, $hit/s:Yield
        }</Security>
    }</Securities>
};
