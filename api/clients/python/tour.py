"""Runs every transaction, with classes that xsdata has generated from the schemas of a service.

    tour.py http://127.0.0.1:8080

It changes the customer, the orders and the accounts that it inserts, and one price.
"""

import sys
import urllib.error
import urllib.request
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from urllib.parse import urlencode

from xsdata.formats.dataclass.parsers import XmlParser
from xsdata.formats.dataclass.serializers import XmlSerializer

from brokerage.custacc import Account, Customer, CustomerProfile, Trade, TradeConfirmation
from brokerage.custacc_summary import Customer as CustomerSummary
from brokerage.order import CustomerMaxOrder, Fixml, Order, OrderStatus, OrderStatus1
from brokerage.problem import Problem
from brokerage.security import Price, Securities, Security, SecurityPrice
from brokerage.service import Lease

SERVICE = sys.argv[1].rstrip("/")
parser, serializer = XmlParser(), XmlSerializer()


class Refused(Exception):
    """A response with a problem document."""

    def __init__(self, problem):
        super().__init__(f"{problem.type_value}: {problem.detail}")
        self.problem = problem


def send(method, path, body=None):
    """Sends a request and returns the response, which is a Refused for a problem."""
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


def link(headers, relation):
    """Returns the target of a link, or None (RFC 8288)."""
    for value in headers.get_all("Link", []):
        target, _, parameters = value.partition(";")
        if parameters.strip() == f'rel="{relation}"':
            return target.strip("<>")
    return None


def lease(kind):
    return parser.from_bytes(send("POST", f"/v1/dataset/leases?kind={kind}&count=1")[1], Lease).first


def check(is_so, what):
    if not is_so:
        sys.exit(f"tour.py: {what}")


def securities(symbol):
    security = read(f"/v1/securities/{symbol}", Security)
    check(security.symbol == symbol, "get_security")
    price = read(f"/v1/securities/{symbol}/price", SecurityPrice)
    check(price.symbol == symbol and price.name == security.name, "get_security_price")
    new = price.last_trade + 1
    changed = send("PUT", f"/v1/securities/{symbol}/price", Price(last_trade=new))[1]
    check(parser.from_bytes(changed, SecurityPrice).last_trade == new, "update_security_price")

    search = {"sector": "Technology", "peMin": 0, "peMax": 1000, "yieldMin": 0}
    whole = read("/v1/securities?" + urlencode(search), Securities)
    check(whole.count == len(whole.security) > 4, "search_securities")
    pages, path = [], "/v1/securities?" + urlencode(search | {"limit": 3})
    while path:
        headers, body = send("GET", path)
        pages += parser.from_bytes(body, Securities).security
        path = link(headers, "next")
    check(pages == whole.security, "the pages of a search are not the whole answer")


def customers(symbol):
    customer = read("/v1/customers/1006", Customer)
    check(read("/v1/customers/1006/profile", CustomerProfile).customerid == "1006", "customer_profile")
    check(read("/v1/customers/1006/orders/largest", CustomerMaxOrder).order.id, "customer_max_order")

    customer.id = int(lease("customer"))
    account = customer.accounts.account[0]
    account.id = lease("account")
    del customer.accounts.account[1:]
    path = send("POST", "/v1/customers", customer)[0]["Location"]
    check(read(path, Customer) == customer, "insert_customer")
    opened = replace(account, id=lease("account"))
    headers, stored = send("GET", send("POST", f"{path}/accounts", opened)[0]["Location"])
    check(parser.from_bytes(stored, Account) == opened, "open_account")
    check(link(headers, "up") == path, "the owner of an account")
    summary = read(f"{path}/statement", CustomerSummary)
    ids = [a.account_id for a in summary.customer_securities.account]
    check(ids == [account.id, opened.id], "account_summary")

    for side in "buy", "sell":
        trade = Trade(symbol=symbol, quantity=Decimal("2.5"))
        done = parser.from_bytes(send("POST", f"/v1/accounts/{opened.id}/{side}", trade)[1], TradeConfirmation)
        # Decimals with a fixed number of places are strings in these classes.
        amount = (Decimal(done.quantity) * done.price).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
        check(done.side.value.lower() == side and done.amount == str(amount), f"{side}_security")

    orders(opened.id)
    send("DELETE", f"{path}/accounts/{opened.id}")
    send("DELETE", path)
    try:
        read(path, Customer)
        check(False, "delete_customer")
    except Refused as refused:
        problem = refused.problem
        check(problem.type_value == "urn:brokerage:problem:not-found" and problem.status == 404, "a problem")


def orders(account):
    order = read("/v1/orders/103282", Order)
    check(order.id == "103282", "get_order")
    placed = replace(order, id=lease("order"), acct=account)
    path = send("POST", "/v1/orders", Fixml(order=placed))[0]["Location"]
    check(read(path, Order) == placed, "insert_order")
    status = send("PUT", f"{path}/status", OrderStatus(stat=OrderStatus1("2")))[1]
    check(parser.from_bytes(status, OrderStatus).stat == OrderStatus1("2"), "update_order_status")
    send("DELETE", path)


securities("SDP")
customers("SDP")
print("the tour is complete")
