module namespace m = "urn:brokerage:basex";

declare namespace s = "http://tpox-benchmark.com/security";

declare %rest:GET %rest:path("/v1/securities/{$symbol}/price") %output:method("xml")
function m:get-security-price($symbol as xs:string) {
  let $security := db:text("security", $symbol)/parent::s:Symbol/parent::s:Security
  let $price := $security/s:Price
  return if ($security) then
    <Security_Price xmlns="http://tpox-benchmark.com/security" SYMBOL="{$symbol}">{
      $security/s:Name, $price/s:LastTrade, $price/s:Ask, $price/s:Bid, $price/s:PriceToday/s:Open
    }</Security_Price>
  else web:error(404, "no such security")
};
