import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * One index over XML. The pattern is as the rewriter wrote it: steps as {uri}name or @{uri}name, or * for any element,
 * separated by blanks.
 */
final class Index {
  final String name;
  final int length; // the most bytes of a key, 0 for any
  private final String[] steps;
  private final boolean isDouble;

  Index(String name, String pattern, String keyType) {
    this.name = name;
    this.steps = pattern.split(" ");
    this.isDouble = keyType.equals("DOUBLE");
    int open = keyType.indexOf('(');
    this.length = open < 0 ? 0 : Integer.parseInt(keyType.substring(open + 1, keyType.length() - 1));
  }

  boolean matches(List<String> path) {
    if (steps.length != path.size()) {
      return false;
    }
    for (int i = 0; i < steps.length; i++) {
      String node = path.get(i);
      if (!steps[i].equals(node) && (!steps[i].equals("*") || node.startsWith("@"))) {
        return false;
      }
    }
    return true;
  }

  /** The key as it is compared, null for a value that does not cast, which an index leaves out. */
  String canonical(String value) {
    try {
      return isDouble ? Double.toString(Double.parseDouble(value.trim())) : value;
    } catch (NumberFormatException ex) {
      return null;
    }
  }

  void set(PreparedStatement q, String key) throws SQLException {
    if (isDouble) {
      q.setDouble(1, Double.parseDouble(key)); // Derby casts no text to DOUBLE
    } else {
      q.setString(1, key);
    }
  }
}
