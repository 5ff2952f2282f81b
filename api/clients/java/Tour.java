import brokerage.order.Envelope;
import brokerage.order.Order;
import brokerage.problem.Problem;
import brokerage.security.NewPrice;
import brokerage.security.SecurityPrice;
import brokerage.service.Lease;
import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBElement;
import java.io.ByteArrayInputStream;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import javax.xml.transform.stream.StreamSource;

/**
 * Calls a service with classes that xjc has generated from its schemas.
 *
 * <p>It changes one price, and inserts an order, which it deletes.
 */
final class Tour {
  private static final String PRICE = "/v1/securities/SDP/price";

  private final HttpClient client = HttpClient.newHttpClient();
  private final String service;

  private Tour(String service) {
    this.service = service;
  }

  public static void main(String[] args) throws Exception {
    new Tour(args[0]).run();
    System.out.println("the tour is complete");
  }

  private void run() throws Exception {
    NewPrice update = new NewPrice();
    update.setLastTrade(parse(send("GET", PRICE, null), SecurityPrice.class).getLastTrade().add(BigDecimal.ONE));
    JAXBElement<NewPrice> body = new brokerage.security.ObjectFactory().createPrice(update);
    SecurityPrice changed = parse(send("PUT", PRICE, body), SecurityPrice.class);
    check(changed.getLastTrade().equals(update.getLastTrade()), "update_security_price");

    brokerage.order.ObjectFactory orders = new brokerage.order.ObjectFactory();
    Order order = parse(send("GET", "/v1/orders/103282", null), Order.class);
    order.setID(parse(send("POST", "/v1/dataset/leases?kind=order&count=1", null), Lease.class).getFirst());
    Envelope message = new Envelope();
    message.setOrder(order);
    HttpResponse<byte[]> inserted = send("POST", "/v1/orders", orders.createFIXML(message));
    String path = inserted.headers().firstValue("Location").orElseThrow();
    String stored = text(orders.createOrder(parse(send("GET", path, null), Order.class)));
    check(stored.equals(text(orders.createOrder(order))), "insert_order");
    send("DELETE", path, null);
    Problem problem = parse(exchange("GET", path, null), Problem.class);
    check(problem.getType().equals("urn:brokerage:problem:not-found"), "a refusal");
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

  private static <T> T parse(HttpResponse<byte[]> response, Class<T> type) throws Exception {
    StreamSource source = new StreamSource(new ByteArrayInputStream(response.body()));
    return JAXBContext.newInstance(type).createUnmarshaller().unmarshal(source, type).getValue();
  }

  private static String text(JAXBElement<?> element) throws Exception {
    StringWriter text = new StringWriter();
    JAXBContext.newInstance(element.getDeclaredType()).createMarshaller().marshal(element, text);
    return text.toString();
  }

  private static void check(boolean isSo, String what) {
    if (!isSo) {
      throw new IllegalStateException(what);
    }
  }
}
