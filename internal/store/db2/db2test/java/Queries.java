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
import org.basex.query.QueryException;
import org.basex.query.QueryProcessor;
import org.basex.query.value.Value;
import org.basex.query.value.node.DBNode;

/** Evaluates XQuery with BaseX, each thread for itself. */
final class Queries {
  interface Use<T> {
    T of(Value value) throws Exception;
  }

  private static final ThreadLocal<Context> CONTEXT = ThreadLocal.withInitial(Queries::context);

  /** What a statement has kept of its parameters, by its number: see Functions.keep. */
  static final ThreadLocal<Map<Integer, String[]>> KEPT = ThreadLocal.withInitial(HashMap::new);

  /** The declarations at the head of a query; external variables are declared after them. */
  private static final Pattern PROLOG = Pattern.compile(
      "\\A(?:\\s|\\(:.*?:\\)|declare\\s+(?:default\\s+element\\s+)?namespace\\s[^;]*;)*", Pattern.DOTALL);

  private Queries() {}

  private static Context context() {
    Context c = new Context(new Context(false), null);
    c.options.set(MainOptions.STRIPWS, false);
    c.options.set(MainOptions.DTD, false);
    c.user(new User("query")); // without permissions: no files, no databases, no processes
    return c;
  }

  /**
   * Evaluates a query. The spec names a variable for each value, as name:kind: doc is a document,
   * an atomic type what it says; kind@statement.n takes what the statement kept instead of the next value.
   */
  static <T> T eval(String query, String spec, Clob[] values, Use<T> use) throws SQLException {
    Context ctx = CONTEXT.get();
    String[] specs = spec.isEmpty() ? new String[0] : spec.split(" ");
    String[] names = new String[specs.length];
    String[] kinds = new String[specs.length];
    String[] texts = new String[specs.length];
    StringBuilder declared = new StringBuilder();
    int next = 0;
    for (int i = 0; i < specs.length; i++) {
      names[i] = specs[i].substring(0, specs[i].indexOf(':'));
      kinds[i] = specs[i].substring(names[i].length() + 1);
      int at = kinds[i].indexOf('@');
      if (at < 0) {
        texts[i] = text(values[next++]);
      } else {
        texts[i] = kept(kinds[i].substring(at + 1));
        kinds[i] = kinds[i].substring(0, at);
      }
      String variable = "declare variable $" + names[i];
      if (texts[i] == null) {
        declared.append(variable).append(" := ();"); // NULL is the empty sequence
      } else {
        declared.append(variable).append(" external;");
      }
    }
    Matcher prolog = PROLOG.matcher(query);
    int at = prolog.find() ? prolog.end() : 0;
    try (QueryProcessor qp = new QueryProcessor(query.substring(0, at) + declared + query.substring(at), ctx)) {
      for (int i = 0; i < specs.length; i++) {
        if (texts[i] == null) {
          continue;
        }
        switch (kinds[i]) {
          case "doc":
            qp.variable(names[i], document(texts[i]));
            break;
          case "xs:string":
            qp.variable(names[i], texts[i], kinds[i]);
            break;
          default:
            qp.variable(names[i], texts[i].trim(), kinds[i]);
        }
      }
      return use.of(qp.value());
    } catch (SQLException ex) {
      throw ex;
    } catch (QueryException ex) {
      throw Failure.of(state(ex), new String(ex.qname().local()) + " " + ex.getMessage());
    } catch (Exception ex) {
      throw Failure.of(Failure.NOT_WELL_FORMED, ex.toString());
    }
  }

  /** Db2 has its own codes for the errors that XQuery and XQuery Update name. */
  private static String state(QueryException ex) {
    String code = new String(ex.qname().local());
    switch (code) {
      case "XUTY0005": case "XUTY0006": case "XUTY0008": case "XUTY0010": case "XUTY0012": case "XUDY0027": case "XUDY0029":
        return Failure.TARGET;
      case "FORG0001":
        return Failure.CAST;
      default:
        return code.startsWith("XPST") || code.startsWith("XQST") || code.startsWith("XUST") ? Failure.STATIC : Failure.DYNAMIC;
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

  static DBNode document(String text) throws Exception {
    return new DBNode(Parser.singleParser(new IOContent(text.getBytes("UTF-8")), CONTEXT.get().options, ""));
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
