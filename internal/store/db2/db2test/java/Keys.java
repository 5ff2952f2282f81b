import java.io.StringReader;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamReader;

/**
 * Indexes over XML: for each a table of keys and rows, which triggers maintain and by which rewritten statements find
 * rows. Without them XMLEXISTS would read, and hence wait for, rows that it does not want.
 */
public final class Keys {
  private static final XMLInputFactory READERS = XMLInputFactory.newInstance();

  private Keys() {}

  private static Connection here() throws SQLException {
    return DriverManager.getConnection("jdbc:default:connection");
  }

  private static String table(String index) {
    return "BENCH.\"" + index + "\"";
  }

  /** CREATE INDEX .. GENERATE KEY USING XMLPATTERN; the documents that are there are indexed as well. */
  public static void create(String name, String on, String column, String pattern, String keyType, String derbyType, int unique)
      throws SQLException {
    String rows = "ROW_OF_" + on.substring(on.indexOf('.') + 1);
    try (Connection c = here(); Statement s = c.createStatement()) {
      // No foreign key: a delete that cascades locks all of the table, and every other transaction waits for it.
      s.execute("CREATE TABLE " + table(name) + " (K " + derbyType + " NOT NULL, R BIGINT NOT NULL)");
      s.execute("CREATE " + (unique == 1 ? "UNIQUE " : "") + "INDEX BENCH.\"" + name + ".K\" ON " + table(name) + " (K)");
      s.execute("CREATE INDEX BENCH.\"" + name + ".R\" ON " + table(name) + " (R)");
      boolean first;
      try (PreparedStatement q = c.prepareStatement("SELECT 1 FROM BENCH.XML_INDEXES WHERE ON_TABLE = ? AND ON_COLUMN = ?")) {
        q.setString(1, on);
        q.setString(2, column);
        try (ResultSet there = q.executeQuery()) {
          first = !there.next();
        }
      }
      if (first) {
        for (String event : new String[] {"INSERT", "UPDATE OF " + column}) {
          s.execute("CREATE TRIGGER BENCH.\"" + on + "." + column + "." + event.charAt(0) + "\" AFTER " + event + " ON " + on
              + " REFERENCING NEW AS N FOR EACH ROW CALL BENCH.XML_KEYS('" + on + "', '" + column + "', N." + rows + ", N." + column + ")");
        }
        s.execute("CREATE TRIGGER BENCH.\"" + on + "." + column + ".D\" AFTER DELETE ON " + on
            + " REFERENCING OLD AS O FOR EACH ROW CALL BENCH.XML_KEYS('" + on + "', '" + column + "', O." + rows + ", CAST(NULL AS CLOB(16M)))");
      }
      try (PreparedStatement q = c.prepareStatement("INSERT INTO BENCH.XML_INDEXES VALUES (?, ?, ?, ?, ?, ?)")) {
        q.setString(1, name);
        q.setString(2, on);
        q.setString(3, column);
        q.setString(4, pattern);
        q.setString(5, keyType);
        q.setInt(6, unique);
        q.execute();
      }
      Index index = new Index(name, pattern, keyType);
      try (ResultSet all = s.executeQuery("SELECT " + rows + ", " + column + " FROM " + on)) {
        while (all.next()) {
          long row = all.getLong(1);
          write(c, index, row, found(List.of(index), Queries.text(all.getClob(2))).get(0));
        }
      }
    }
  }

  /** DROP INDEX. The triggers stay: they find nothing to do. */
  public static void drop(String name) throws SQLException {
    try (Connection c = here(); Statement s = c.createStatement();
        PreparedStatement q = c.prepareStatement("DELETE FROM BENCH.XML_INDEXES WHERE NAME = ?")) {
      q.setString(1, name);
      q.execute();
      s.execute("DROP TABLE " + table(name));
    }
  }

  /** What the triggers call: the keys of a row become those of its document, and none where there is none any more. */
  public static void maintain(String on, String column, long row, Clob document) throws SQLException {
    try (Connection c = here()) {
      List<Index> indexes = new ArrayList<>();
      try (PreparedStatement q = c.prepareStatement("SELECT NAME, PATTERN, KEY_TYPE FROM BENCH.XML_INDEXES WHERE ON_TABLE = ? AND ON_COLUMN = ?")) {
        q.setString(1, on);
        q.setString(2, column);
        try (ResultSet all = q.executeQuery()) {
          while (all.next()) {
            indexes.add(new Index(all.getString(1), all.getString(2), all.getString(3)));
          }
        }
      }
      List<List<String>> keys = found(indexes, Queries.text(document));
      for (int i = 0; i < indexes.size(); i++) {
        Index index = indexes.get(i);
        List<String> wanted = keys.get(i);
        // What stays is not written: updates of other parts of documents must not meet in an index.
        if (!there(c, index, row).equals(wanted)) {
          try (PreparedStatement q = c.prepareStatement("DELETE FROM " + table(index.name) + " WHERE R = ?")) {
            q.setLong(1, row);
            q.execute();
          }
          write(c, index, row, wanted);
        }
      }
    } catch (SQLException ex) {
      throw Failure.within(ex);
    }
  }

  /**
   * Finds the row of a key in a unique index, and keeps the statement's parameters, one of which is the key. Where a
   * table is named, the row is locked for an update until the transaction ends.
   */
  public static Long row(String name, String lockedTable, int statement, int give, String... values) throws SQLException {
    String key = Functions.keep(statement, give, values);
    if (key == null) {
      return null;
    }
    try (Connection c = here()) {
      Long row = one(c, "SELECT R FROM " + table(name) + " WHERE K = ?", key);
      if (row == null || lockedTable.isEmpty()) {
        return row;
      }
      String rows = "ROW_OF_" + lockedTable;
      return one(c, "SELECT " + rows + " FROM " + lockedTable + " WHERE " + rows + " = ? FOR UPDATE WITH RS", row.toString());
    } catch (SQLException ex) {
      throw Failure.within(ex);
    }
  }

  private static Long one(Connection c, String query, String value) throws SQLException {
    try (PreparedStatement q = c.prepareStatement(query)) {
      q.setString(1, value);
      try (ResultSet found = q.executeQuery()) {
        return found.next() ? (Long) found.getLong(1) : null;
      }
    }
  }

  private static List<String> there(Connection c, Index index, long row) throws SQLException {
    List<String> keys = new ArrayList<>();
    try (PreparedStatement q = c.prepareStatement("SELECT K FROM " + table(index.name) + " WHERE R = ?")) {
      q.setLong(1, row);
      try (ResultSet all = q.executeQuery()) {
        while (all.next()) {
          keys.add(index.canonical(all.getString(1)));
        }
      }
    }
    Collections.sort(keys);
    return keys;
  }

  private static void write(Connection c, Index index, long row, List<String> keys) throws SQLException {
    try (PreparedStatement q = c.prepareStatement("INSERT INTO " + table(index.name) + " VALUES (?, ?)")) {
      for (String key : keys) {
        if (index.length > 0 && key.getBytes(java.nio.charset.StandardCharsets.UTF_8).length > index.length) {
          throw Failure.of(Failure.KEY_TOO_LONG, index.name + ": " + key);
        }
        index.set(q, key);
        q.setLong(2, row);
        q.execute();
      }
    } catch (SQLException ex) {
      if ("23505".equals(ex.getSQLState())) {
        throw Failure.of(Failure.DUPLICATE, index.name + ": " + ex.getMessage());
      }
      throw ex;
    }
  }

  /** The keys of a document for each index, sorted. */
  private static List<List<String>> found(List<Index> indexes, String document) throws SQLException {
    List<List<String>> keys = new ArrayList<>();
    for (int i = 0; i < indexes.size(); i++) {
      keys.add(new ArrayList<>());
    }
    if (document == null || indexes.isEmpty()) {
      return keys;
    }
    List<String> path = new ArrayList<>();
    List<StringBuilder> texts = new ArrayList<>();
    try {
      XMLStreamReader r = READERS.createXMLStreamReader(new StringReader(document));
      while (r.hasNext()) {
        switch (r.next()) {
          case XMLStreamConstants.START_ELEMENT:
            path.add(name(r.getNamespaceURI(), r.getLocalName()));
            texts.add(new StringBuilder());
            for (int a = 0; a < r.getAttributeCount(); a++) {
              path.add("@" + name(r.getAttributeNamespace(a), r.getAttributeLocalName(a)));
              add(indexes, keys, path, r.getAttributeValue(a));
              path.remove(path.size() - 1);
            }
            break;
          case XMLStreamConstants.CHARACTERS:
          case XMLStreamConstants.CDATA:
          case XMLStreamConstants.SPACE:
            for (StringBuilder t : texts) {
              t.append(r.getText());
            }
            break;
          case XMLStreamConstants.END_ELEMENT:
            add(indexes, keys, path, texts.remove(texts.size() - 1).toString());
            path.remove(path.size() - 1);
            break;
          default:
        }
      }
    } catch (javax.xml.stream.XMLStreamException ex) {
      throw Failure.of(Failure.NOT_WELL_FORMED, ex.getMessage());
    }
    keys.forEach(Collections::sort);
    return keys;
  }

  private static void add(List<Index> indexes, List<List<String>> keys, List<String> path, String value) {
    for (int i = 0; i < indexes.size(); i++) {
      if (indexes.get(i).matches(path)) {
        String key = indexes.get(i).canonical(value);
        if (key != null) {
          keys.get(i).add(key);
        }
      }
    }
  }

  private static String name(String uri, String local) {
    return "{" + (uri == null ? "" : uri) + "}" + local;
  }
}
