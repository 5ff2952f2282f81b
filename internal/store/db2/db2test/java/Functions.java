import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.io.StringReader;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.rowset.serial.SerialBlob;
import javax.sql.rowset.serial.SerialClob;
import javax.xml.XMLConstants;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.ValidatorHandler;
import org.basex.io.serial.SerializerOptions;
import org.basex.query.value.item.Item;
import org.basex.util.options.Options.YesNo;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.XMLReader;
import org.xml.sax.helpers.DefaultHandler;

/** What SQL calls: each method is one function or procedure of schema BENCH. */
public final class Functions {
  private static final SerializerOptions PLAIN = new SerializerOptions();

  static {
    PLAIN.set(SerializerOptions.OMIT_XML_DECLARATION, YesNo.YES);
    PLAIN.set(SerializerOptions.INDENT, YesNo.NO);
  }

  private static final Map<String, Schema> SCHEMAS = new ConcurrentHashMap<>();

  private Functions() {}

  /** XMLQUERY: the sequence, serialised. */
  public static Clob xq(String query, String spec, Clob... values) throws SQLException {
    return clob(Queries.eval(query, spec, values, v -> v.serialize(PLAIN).toString()));
  }

  /** XMLCAST(XMLQUERY(..)): the one atomic value, or NULL. */
  public static String xqAtom(String query, String spec, Clob... values) throws SQLException {
    return Queries.eval(query, spec, values, v -> {
      if (v.size() > 1) {
        throw Failure.of(Failure.NOT_ONE, "XMLCAST of a sequence of " + v.size() + " items");
      }
      return v.isEmpty() ? null : new String(((Item) v).string(null), StandardCharsets.UTF_8);
    });
  }

  /** XMLEXISTS: not empty, whatever the value. That of false() is true, in Db2 too. */
  public static int xqExists(String query, String spec, Clob... values) throws SQLException {
    return Queries.eval(query, spec, values, v -> v.isEmpty() ? 0 : 1);
  }

  /**
   * Keeps parameters for a later use in the same statement, and gives one: a parameter marker can be written only once,
   * but a condition that finds a row by its key is evaluated on that row as well.
   */
  public static String keep(int statement, int give, String... values) {
    Queries.KEPT.get().put(statement, values.clone());
    return values[give];
  }

  /** XMLPARSE(DOCUMENT .. PRESERVE WHITESPACE). */
  public static Clob parse(Clob c) throws SQLException {
    if (c == null) {
      return null;
    }
    try {
      return clob(Queries.document(Queries.text(c)).serialize(PLAIN).toString());
    } catch (Exception ex) {
      throw Failure.of(Failure.NOT_WELL_FORMED, ex.getMessage());
    }
  }

  /** For CHECK constraints: a column of type XML holds well-formed documents. */
  public static int isDocument(Clob c) throws SQLException {
    if (c != null) {
      try {
        Queries.document(Queries.text(c));
      } catch (Exception ex) {
        throw Failure.of(Failure.NOT_WELL_FORMED, ex.getMessage());
      }
    }
    return 1;
  }

  /**
   * XMLVALIDATE(.. ACCORDING TO XMLSCHEMA ID x) takes x.xsd of the folder that -Dbench.schemas names. As Db2's, it strips
   * ignorable white space: that between the elements of an element which has no text by its schema.
   */
  public static Clob validate(String id, Clob c) throws SQLException {
    if (c == null) {
      return null;
    }
    Schema schema = schema(id);
    TreeSet<Integer> spaced = new TreeSet<>(); // the elements with such white space, by their number in the document
    try {
      ValidatorHandler validator = schema.newValidatorHandler();
      validator.setContentHandler(new DefaultHandler() {
        private final ArrayDeque<Integer> open = new ArrayDeque<>();
        private int last;

        @Override
        public void startElement(String uri, String local, String name, Attributes attributes) {
          open.push(++last);
        }

        @Override
        public void endElement(String uri, String local, String name) {
          open.pop();
        }

        @Override
        public void ignorableWhitespace(char[] text, int start, int length) {
          spaced.add(open.peek());
        }
      });
      SAXParserFactory parsers = SAXParserFactory.newInstance();
      parsers.setNamespaceAware(true);
      XMLReader reader = parsers.newSAXParser().getXMLReader();
      reader.setContentHandler(validator);
      reader.parse(new InputSource(new StringReader(Queries.text(c))));
    } catch (Exception ex) {
      throw Failure.of(Failure.INVALID, id + ": " + ex.getMessage());
    }
    if (spaced.isEmpty()) {
      return clob(Queries.text(c));
    }
    String numbers = spaced.toString().replace('[', '(').replace(']', ')');
    return xq("copy $n := $d modify delete node (for $e at $i in $n//* where $i = " + numbers
        + " return $e/text()[normalize-space() = '']) return $n", "d:doc", c);
  }

  /** A table is named for many orders, and their schema for one. */
  private static Path file(String id) {
    String name = id.toLowerCase(Locale.ROOT);
    return Path.of(System.getProperty("bench.schemas"), (name.equals("orders") ? "order" : name) + ".xsd");
  }

  private static Schema schema(String id) throws SQLException {
    String name = id.substring(id.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    Schema known = SCHEMAS.get(name);
    if (known != null) {
      return known;
    }
    Path file = file(name);
    if (!Files.exists(file)) {
      throw Failure.of(Failure.NO_SCHEMA, "no XML schema " + id);
    }
    try {
      Schema read = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(file.toFile());
      SCHEMAS.put(name, read);
      return read;
    } catch (Exception ex) {
      throw Failure.of(Failure.NO_SCHEMA, id + ": " + ex.getMessage());
    }
  }

  /** XMLSERIALIZE(.. AS CLOB(n)): nothing is cut, what is too long is refused. */
  public static Clob serialize(Clob c, long most) throws SQLException {
    if (c == null) {
      return null;
    }
    String text = Queries.text(c);
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > most) {
      throw Failure.of(Failure.TOO_LONG, bytes + " bytes in a CLOB(" + most + ")");
    }
    return clob(text);
  }

  /** BLOB, of text. */
  public static Blob bytes(Clob c) throws SQLException {
    return c == null ? null : new SerialBlob(Queries.whole(c).getBytes(StandardCharsets.UTF_8));
  }

  /** OCTET_LENGTH, which Derby lacks. */
  public static Integer octets(Clob c) throws SQLException {
    return c == null ? null : Queries.text(c).getBytes(StandardCharsets.UTF_8).length;
  }

  /** DOUBLE has no other way to text. NULL stays. */
  public static String doubleText(Double d) {
    return d == null ? null : d.toString();
  }

  /** For statements that have no meaning here, such as table spaces. */
  public static void nothing(Clob what) {}

  /** ADMIN_CMD: the commands configure the server or collect statistics, and have no effect here. */
  public static void command(String what) {}

  /**
   * XSR_REGISTER and XSR_COMPLETE. What XMLVALIDATE takes is in a folder, so that this refuses any schema but one whose
   * bytes came here as they are there.
   */
  public static void register(String owner, String name, String location) throws SQLException {
    try (Connection c = DriverManager.getConnection("jdbc:default:connection");
        PreparedStatement s = c.prepareStatement("SELECT CONTENT FROM SCHEMAS WHERE FILE = ?")) {
      s.setString(1, location);
      ResultSet content = s.executeQuery();
      if (!content.next()) {
        throw Failure.of(Failure.NO_SCHEMA, "no content for " + name);
      }
      Blob blob = content.getBlob(1);
      byte[] got = blob.getBytes(1, (int) blob.length());
      byte[] want = Files.readAllBytes(file(name));
      if (!Arrays.equals(got, want)) {
        throw Failure.of(Failure.INVALID, "not the schema " + name + ": " + got.length + " bytes for " + want.length);
      }
      schema(name);
      try (PreparedStatement p = c.prepareStatement("INSERT INTO BENCH.XSROBJECTS VALUES (?, ?, ?)")) {
        p.setString(1, owner);
        p.setString(2, name);
        p.setString(3, location);
        p.execute();
      }
    } catch (IOException ex) {
      throw Failure.of(Failure.NO_SCHEMA, name + ": " + ex.getMessage());
    } catch (SQLException ex) {
      if ("23505".equals(ex.getSQLState())) {
        throw Failure.of(Failure.EXISTS, "the XML schema " + owner + "." + name);
      }
      throw ex;
    }
  }

  /** What has to be the first statement of its unit of work, and is not. */
  public static void notFirst() throws SQLException {
    throw Failure.of(Failure.NOT_FIRST, "this statement has to be the first of its unit of work");
  }

  static Clob clob(String s) throws SQLException {
    return new SerialClob(s.toCharArray());
  }
}
