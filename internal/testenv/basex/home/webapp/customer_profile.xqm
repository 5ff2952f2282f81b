module namespace m = "urn:brokerage:basex";

declare namespace c = "http://tpox-benchmark.com/custacc";

declare %rest:GET %rest:path("/v1/customers/{$id}/profile") %output:method("xml")
function m:customer-profile($id as xs:string) {
  let $customer := db:attribute("customer", $id, "id")/parent::c:Customer
  return if ($customer) then
    <Customer_Profile xmlns="http://tpox-benchmark.com/custacc" CUSTOMERID="{$id}">{
      $customer/c:Name, $customer/c:DateOfBirth, $customer/c:Gender, $customer/c:CountryOfResidence, $customer/c:Languages,
      <Addresses>{$customer/c:Addresses/c:Address}</Addresses>,
      $customer/c:Addresses/c:EmailAddresses
    }</Customer_Profile>
  else web:error(404, "no such customer")
};
