import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Clob;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.basex.build.Parser;
import org.basex.core.Context;
import org.basex.core.MainOptions;
import org.basex.core.users.User;
import org.basex.io.IOContent;
import org.basex.io.serial.SerializerOptions;
import org.basex.query.QueryException;
import org.basex.query.QueryIOException;
import org.basex.query.QueryProcessor;
import org.basex.query.value.Value;
import org.basex.query.value.node.DBNode;
import org.basex.util.options.Options.YesNo;

/** Evaluates XQuery with BaseX, each thread for itself. */
final class Queries {
  interface Use<T> {
    T of(Value value) throws QueryException, SQLException;
  }

  private static final ThreadLocal<Context> CONTEXTS = ThreadLocal.withInitial(Queries::context);
  private static final SerializerOptions PLAIN = new SerializerOptions();

  static {
    PLAIN.set(SerializerOptions.OMIT_XML_DECLARATION, YesNo.YES);
    PLAIN.set(SerializerOptions.INDENT, YesNo.NO);
  }

  /** What a statement has kept of its parameters, by its number: see Functions.keep. */
  static final ThreadLocal<Map<Integer, String[]>> KEPT = ThreadLocal.withInitial(HashMap::new);

  /** The declarations at the head of a query; external variables are declared after them. */
  private static final Pattern PROLOG = Pattern.compile("\\A(?:\\s|declare\\s+(?:default\\s+element\\s+)?namespace\\s[^;]*;)*");

  private Queries() {}

  private static Context context() {
    Context c = new Context(new Context(false), null);
    c.options.set(MainOptions.STRIPWS, false);
    c.options.set(MainOptions.DTD, false);
    c.user(new User("query")); // without permissions: no files, no databases, no processes
    return c;
  }

  /**
   * Evaluates a query. The spec names a variable for each value, as name:kind: doc is a document, an atomic type what it
   * says; kind@statement.n takes what the statement kept instead of the next value.
   */
  static <T> T eval(String query, String spec, Clob[] values, Use<T> use) throws SQLException {
    String[] specs = spec.isEmpty() ? new String[0] : spec.split(" ");
    String[] texts = new String[specs.length];
    StringBuilder declared = new StringBuilder();
    int next = 0;
    for (int i = 0; i < specs.length; i++) {
      int at = specs[i].indexOf('@');
      texts[i] = at < 0 ? text(values[next++]) : kept(specs[i].substring(at + 1));
      specs[i] = at < 0 ? specs[i] : specs[i].substring(0, at);
      declared.append("declare variable $").append(specs[i], 0, specs[i].indexOf(':'));
      declared.append(texts[i] == null ? " := ();" : " external;"); // NULL is the empty sequence
    }
    Matcher prolog = PROLOG.matcher(query);
    int at = prolog.find() ? prolog.end() : 0;
    try (QueryProcessor qp = new QueryProcessor(query.substring(0, at) + declared + query.substring(at), CONTEXTS.get())) {
      for (int i = 0; i < specs.length; i++) {
        String[] variable = specs[i].split(":", 2);
        if (texts[i] == null) {
          continue;
        }
        if (variable[1].equals("doc")) {
          qp.variable(variable[0], document(texts[i]));
        } else {
          qp.variable(variable[0], variable[1].equals("xs:string") ? texts[i] : texts[i].trim(), variable[1]);
        }
      }
      return use.of(qp.value());
    } catch (QueryException ex) {
      throw Failure.of(Failure.DYNAMIC, new String(ex.qname().local()) + " " + ex.getMessage());
    }
  }

  private static String kept(String which) throws SQLException {
    String[] parts = which.split("\\.");
    String[] values = KEPT.get().get(Integer.valueOf(parts[0]));
    if (values == null) {
      throw Failure.of(Failure.UNSUPPORTED, "the parameters of statement " + parts[0] + " were not kept before their use");
    }
    return values[Integer.parseInt(parts[1])];
  }

  static DBNode document(String text) throws SQLException {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return new DBNode(Parser.singleParser(new IOContent(bytes), CONTEXTS.get().options, ""));
    } catch (IOException ex) {
      throw Failure.of(Failure.NOT_WELL_FORMED, ex.getMessage());
    }
  }

  static String serialized(Value value) throws SQLException {
    try {
      return value.serialize(PLAIN).toString();
    } catch (QueryIOException ex) {
      throw Failure.of(Failure.DYNAMIC, ex.getMessage());
    }
  }

  /** A document, without its declaration: it is characters by now, and what an encoding says would be wrong. */
  static String text(Clob c) throws SQLException {
    String s = whole(c);
    return s != null && s.startsWith("<?xml ") ? s.substring(s.indexOf("?>") + 2).trim() : s;
  }

  static String whole(Clob c) throws SQLException {
    if (c == null) {
      return null;
    }
    int n = (int) c.length();
    return n == 0 ? "" : c.getSubString(1, n); // Derby: position 1 of an empty CLOB is an error
  }
}
