module namespace m = "urn:brokerage:basex";

(: Ids for new documents: far above those of the dataset, and each once until the server ends. :)
declare %rest:POST %rest:path("/v1/dataset/leases") %output:method("xml")
  %rest:query-param("kind", "{$kind}") %rest:query-param("count", "{$count}")
function m:lease($kind as xs:string, $count as xs:integer) {
  let $first := (store:get($kind), 1000000000)[1]
  return (
    store:put($kind, $first + $count),
    <Lease xmlns="urn:brokerage:service" kind="{$kind}" first="{$first}" count="{$count}"/>
  )
};
