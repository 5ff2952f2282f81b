"""Calls a service with classes that xsdata has generated from its schemas.

    tour.py http://127.0.0.1:8080

It changes one price, and inserts an order, which it deletes.
"""

import sys
import urllib.error
import urllib.request
from dataclasses import replace

from xsdata.formats.dataclass.parsers import XmlParser
from xsdata.formats.dataclass.serializers import XmlSerializer

from brokerage.order import Fixml, Order
from brokerage.problem import Problem
from brokerage.security import Price, SecurityPrice
from brokerage.service import Lease

SERVICE = sys.argv[1].rstrip("/")
parser, serializer = XmlParser(), XmlSerializer()


class Refused(Exception):
    """A response with a problem document."""

    def __init__(self, problem):
        super().__init__(f"{problem.type_value}: {problem.detail}")
        self.problem = problem


def send(method, path, body=None):
    """Sends a request and returns the response; a problem document is raised as Refused."""
    data = body and serializer.render(body).encode()
    request = urllib.request.Request(SERVICE + path, data, {"Content-Type": "application/xml"}, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return response.headers, response.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            raise Refused(parser.from_bytes(refusal.read(), Problem)) from None


def read(path, kind):
    return parser.from_bytes(send("GET", path)[1], kind)


def check(is_so, what):
    if not is_so:
        sys.exit(f"tour.py: {what}")


price = read("/v1/securities/SDP/price", SecurityPrice).last_trade + 1
changed = send("PUT", "/v1/securities/SDP/price", Price(last_trade=price))[1]
check(parser.from_bytes(changed, SecurityPrice).last_trade == price, "update_security_price")

lease = parser.from_bytes(send("POST", "/v1/dataset/leases?kind=order&count=1")[1], Lease)
order = replace(read("/v1/orders/103282", Order), id=lease.first)
path = send("POST", "/v1/orders", Fixml(order=order))[0]["Location"]
check(read(path, Order) == order, "insert_order")
send("DELETE", path)
try:
    read(path, Order)
    check(False, "delete_order")
except Refused as refused:
    check(refused.problem.type_value == "urn:brokerage:problem:not-found", "a refusal")
print("the tour is complete")
