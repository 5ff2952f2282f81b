import brokerage.custacc.Account;
import brokerage.custacc.Customer;
import brokerage.custacc.CustomerProfile;
import brokerage.custacc.Trade;
import brokerage.custacc.TradeConfirmation;
import brokerage.custaccsummary.AccountSummary;
import brokerage.custaccsummary.CustomerSummary;
import brokerage.order.CustomerMaxOrder;
import brokerage.order.Envelope;
import brokerage.order.Order;
import brokerage.order.StatusOfOrder;
import brokerage.problem.Problem;
import brokerage.security.Hit;
import brokerage.security.Hits;
import brokerage.security.NewPrice;
import brokerage.security.Security;
import brokerage.security.SecurityPrice;
import brokerage.service.Lease;
import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBElement;
import java.io.ByteArrayInputStream;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import javax.xml.transform.stream.StreamSource;

/**
 * Runs every transaction, with classes that xjc has generated from the schemas of a service.
 *
 * <p>It changes the customer, the orders and the accounts that it inserts, and one price.
 */
final class Tour {
  private static final String SYMBOL = "SDP";
  private static final String SEARCH = "/v1/securities?sector=Technology&peMin=0&peMax=1000&yieldMin=0";

  private static final brokerage.custacc.ObjectFactory customers = new brokerage.custacc.ObjectFactory();
  private static final brokerage.order.ObjectFactory orders = new brokerage.order.ObjectFactory();
  private static final brokerage.security.ObjectFactory securities = new brokerage.security.ObjectFactory();

  private final HttpClient client = HttpClient.newHttpClient();
  private final String service;

  private Tour(String service) {
    this.service = service;
  }

  public static void main(String[] args) throws Exception {
    Tour tour = new Tour(args[0]);
    tour.securities();
    tour.customers();
    System.out.println("the tour is complete");
  }

  /** Sends a request, which must not be refused. */
  private HttpResponse<byte[]> send(String method, String path, JAXBElement<?> body) throws Exception {
    HttpResponse<byte[]> response = exchange(method, path, body);
    if (response.statusCode() >= 400) {
      Problem problem = parse(response, Problem.class);
      throw new IllegalStateException(method + " " + path + ": " + problem.getType() + ": " + problem.getDetail());
    }
    return response;
  }

  private HttpResponse<byte[]> exchange(String method, String path, JAXBElement<?> body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(service + path))
            .header("Content-Type", "application/xml")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(text(body)))
            .build();
    return client.send(request, BodyHandlers.ofByteArray());
  }

  private <T> T read(String path, Class<T> type) throws Exception {
    return parse(send("GET", path, null), type);
  }

  private static <T> T parse(HttpResponse<byte[]> response, Class<T> type) throws Exception {
    StreamSource source = new StreamSource(new ByteArrayInputStream(response.body()));
    return JAXBContext.newInstance(type).createUnmarshaller().unmarshal(source, type).getValue();
  }

  private static String text(JAXBElement<?> element) throws Exception {
    StringWriter text = new StringWriter();
    JAXBContext.newInstance(element.getDeclaredType()).createMarshaller().marshal(element, text);
    return text.toString();
  }

  private static String location(HttpResponse<?> response) {
    return response.headers().firstValue("Location").orElseThrow();
  }

  /** Returns the target of a link (RFC 8288), or null. */
  private static String link(HttpResponse<?> response, String relation) {
    for (String value : response.headers().allValues("Link")) {
      if (value.endsWith(">; rel=\"" + relation + "\"")) {
        return value.substring(1, value.indexOf('>'));
      }
    }
    return null;
  }

  private String lease(String kind) throws Exception {
    return parse(send("POST", "/v1/dataset/leases?kind=" + kind + "&count=1", null), Lease.class).getFirst();
  }

  private static void check(boolean isSo, String what) {
    if (!isSo) {
      throw new IllegalStateException(what);
    }
  }

  private void securities() throws Exception {
    Security security = read("/v1/securities/" + SYMBOL, Security.class);
    check(security.getSymbol().equals(SYMBOL), "get_security");
    SecurityPrice price = read("/v1/securities/" + SYMBOL + "/price", SecurityPrice.class);
    check(price.getSYMBOL().equals(SYMBOL) && price.getName().equals(security.getName()), "get_security_price");
    NewPrice update = new NewPrice();
    update.setLastTrade(price.getLastTrade().add(BigDecimal.ONE));
    price = parse(send("PUT", "/v1/securities/" + SYMBOL + "/price", securities.createPrice(update)), SecurityPrice.class);
    check(price.getLastTrade().equals(update.getLastTrade()), "update_security_price");

    List<String> found = new ArrayList<>();
    Hits hits = read(SEARCH, Hits.class);
    hits.getSecurity().forEach(hit -> found.add(hit.getSymbol()));
    check(found.size() > 4 && hits.getCount().intValue() == found.size(), "search_securities");
    List<String> inPages = new ArrayList<>();
    for (String path = SEARCH + "&limit=3"; path != null; ) {
      HttpResponse<byte[]> page = send("GET", path, null);
      for (Hit hit : parse(page, Hits.class).getSecurity()) {
        inPages.add(hit.getSymbol());
      }
      path = link(page, "next");
    }
    check(inPages.equals(found), "the pages of a search are not the whole answer");
  }

  private void customers() throws Exception {
    Customer customer = read("/v1/customers/1006", Customer.class);
    check(read("/v1/customers/1006/profile", CustomerProfile.class).getCUSTOMERID().equals("1006"), "customer_profile");
    CustomerMaxOrder largest = read("/v1/customers/1006/orders/largest", CustomerMaxOrder.class);
    check(largest.getOrder().getID().equals(largest.getORDERID()), "customer_max_order");

    customer.setId(new BigInteger(lease("customer")));
    List<Account> accounts = customer.getAccounts().getAccount();
    accounts.subList(1, accounts.size()).clear();
    Account account = accounts.get(0);
    String first = lease("account");
    account.setId(first);
    JAXBElement<Customer> inserted = customers.createCustomer(customer);
    String path = location(send("POST", "/v1/customers", inserted));
    check(text(customers.createCustomer(read(path, Customer.class))).equals(text(inserted)), "insert_customer");

    account.setId(lease("account"));
    JAXBElement<Account> opened = customers.createAccount(account);
    HttpResponse<byte[]> stored = send("GET", location(send("POST", path + "/accounts", opened)), null);
    check(text(customers.createAccount(parse(stored, Account.class))).equals(text(opened)), "open_account");
    check(path.equals(link(stored, "up")), "the owner of an account");
    List<String> ids = new ArrayList<>();
    for (AccountSummary a : read(path + "/statement", CustomerSummary.class).getCustomerSecurities().getAccount()) {
      ids.add(a.getACCOUNTID());
    }
    check(ids.equals(List.of(first, account.getId())), "account_summary");

    trade(account.getId(), "buy");
    trade(account.getId(), "sell");
    orders(account.getId());
    send("DELETE", path + "/accounts/" + account.getId(), null);
    send("DELETE", path, null);
    Problem problem = parse(exchange("GET", path, null), Problem.class);
    check(problem.getStatus() == 404 && problem.getType().equals("urn:brokerage:problem:not-found"), "delete_customer");
  }

  private void trade(String account, String side) throws Exception {
    Trade trade = new Trade();
    trade.setSymbol(SYMBOL);
    trade.setQuantity(new BigDecimal("2.5"));
    TradeConfirmation done =
        parse(send("POST", "/v1/accounts/" + account + "/" + side, customers.createTrade(trade)), TradeConfirmation.class);
    BigDecimal amount = done.getQuantity().multiply(done.getPrice()).setScale(2, RoundingMode.HALF_EVEN);
    check(done.getSide().equalsIgnoreCase(side) && done.getAmount().equals(amount), side + "_security");
  }

  private void orders(String account) throws Exception {
    Order order = read("/v1/orders/103282", Order.class);
    check(order.getID().equals("103282"), "get_order");
    order.setID(lease("order"));
    order.setAcct(account);
    Envelope message = new Envelope();
    message.setOrder(order);
    String path = location(send("POST", "/v1/orders", orders.createFIXML(message)));
    String stored = text(orders.createOrder(read(path, Order.class)));
    check(stored.equals(text(orders.createOrder(order))), "insert_order");
    StatusOfOrder status = new StatusOfOrder();
    status.setStat("2");
    status = parse(send("PUT", path + "/status", orders.createOrderStatus(status)), StatusOfOrder.class);
    check(status.getStat().equals("2"), "update_order_status");
    send("DELETE", path, null);
  }
}
