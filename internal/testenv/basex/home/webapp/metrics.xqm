module namespace m = "urn:brokerage:basex";

(: The processor time of the server, all threads included, under the name that the service has for its own. :)
declare %rest:GET %rest:path("/metrics") %output:method("text")
function m:metrics() {
  let $stat := tokenize(substring-after(file:read-text("/proc/self/stat"), ") "))
  return "process_cpu_seconds_total " || (xs:integer($stat[12]) + xs:integer($stat[13])) div 100
};
