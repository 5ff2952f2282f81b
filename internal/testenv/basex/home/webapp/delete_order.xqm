module namespace m = "urn:brokerage:basex";

declare namespace f = "http://www.fixprotocol.org/FIXML-4-4";

declare %updating %rest:DELETE %rest:path("/v1/orders/{$id}")
function m:delete-order($id as xs:string) {
  if (db:attribute("order", $id, "ID")/parent::f:Order) then (
    db:delete("order", $id || ".xml"),
    update:output(web:response-header((), (), map { "status": 204 }))
  )
  else web:error(404, "no such order")
};
