(: Opens the databases until the server ends. Otherwise each request would open what no other request uses. :)
declare namespace c = "java:org.basex.core.Context";
declare namespace h = "java:org.basex.http.HTTPContext";
declare namespace o = "java:org.basex.core.cmd.Open";

let $context := h:get() => h:context()
for $name in ("order", "customer", "security")
return prof:void(o:open($name, $context, c:options($context), true(), true()))
