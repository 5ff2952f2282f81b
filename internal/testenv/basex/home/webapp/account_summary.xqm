module namespace m = "urn:brokerage:basex";

declare namespace c = "http://tpox-benchmark.com/custacc";

declare %rest:GET %rest:path("/v1/customers/{$id}/statement") %output:method("xml")
function m:account-summary($id as xs:string) {
  let $customer := db:attribute("customer", $id, "id")/parent::c:Customer
  return if ($customer) then
    <Customer xmlns="http://tpox-benchmark.com/custacc" id="{$id}">{
      $customer/c:Name,
      <Customer_Securities>{
        for $account in $customer/c:Accounts/c:Account
        return
          <Account ACCOUNT_ID="{$account/@id}" BALANCE="{$account/c:Balance/c:OnlineActualBal}" CURRENCY="{$account/c:Currency}">
            <Securities>{
              for $position in $account/c:Holdings/c:Position
              return <Position>{$position/c:Symbol, $position/c:Name, $position/c:Quantity}</Position>
            }</Securities>
            <Statement>{$account/c:gValueDate/c:mValueDate}</Statement>
          </Account>
      }</Customer_Securities>
    }</Customer>
  else web:error(404, "no such customer")
};
