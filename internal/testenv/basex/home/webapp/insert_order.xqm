module namespace m = "urn:brokerage:basex";

declare namespace f = "http://www.fixprotocol.org/FIXML-4-4";

declare %updating %rest:POST("{$message}") %rest:path("/v1/orders")
function m:insert-order($message as document-node()) {
  let $id := string($message/f:FIXML/f:Order/@ID)
  return if (db:attribute("order", $id, "ID")/parent::f:Order) then web:error(409, "the order exists")
  else (
    db:add("order", $message, $id || ".xml"),
    update:output(web:response-header((), map { "Location": "/v1/orders/" || $id }, map { "status": 201 }))
  )
};
