module namespace m = "urn:brokerage:basex";

declare namespace f = "http://www.fixprotocol.org/FIXML-4-4";

(: The index of attributes finds the message faster than its path would. :)
declare %updating %rest:DELETE %rest:path("/v1/orders/{$id}")
function m:delete-order($id as xs:string) {
  let $message := db:attribute("order", $id, "ID")/parent::f:Order/root()
  return if ($message) then (
    delete node $message,
    update:output(web:response-header((), (), map { "status": 204 }))
  )
  else web:error(404, "no such order")
};
