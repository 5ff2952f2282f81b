module namespace m = "urn:brokerage:basex";

declare namespace c = "http://tpox-benchmark.com/custacc";
declare namespace f = "http://www.fixprotocol.org/FIXML-4-4";

declare %rest:GET %rest:path("/v1/customers/{$id}/orders/largest") %output:method("xml")
function m:customer-max-order($id as xs:string) {
  let $customer := db:attribute("customer", $id, "id")/parent::c:Customer
  let $order := head(
    for $each in db:attribute("order", $customer/c:Accounts/c:Account/@id, "Acct")/parent::f:Order
    order by xs:decimal($each/f:OrdQty/@Cash) descending, xs:integer($each/@ID)
    return $each
  )
  return if ($customer) then
    <Customer_Max_Order xmlns="http://www.fixprotocol.org/FIXML-4-4" CUSTOMERID="{$id}">{
      if ($order) then (attribute ORDER_ID { $order/@ID }, attribute CASH { $order/f:OrdQty/@Cash }, $order) else ()
    }</Customer_Max_Order>
  else web:error(404, "no such customer")
};
