module namespace m = "urn:brokerage:basex";

declare namespace f = "http://www.fixprotocol.org/FIXML-4-4";

declare %rest:GET %rest:path("/v1/orders/{$id}") %output:method("xml")
function m:get-order($id as xs:string) {
  let $order := db:attribute("order", $id, "ID")/parent::f:Order
  return if ($order) then $order else web:error(404, "no such order")
};
