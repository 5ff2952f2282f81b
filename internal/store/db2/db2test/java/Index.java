import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * One index over XML. The pattern is as the rewriter wrote it: steps as {uri}name or @{uri}name, with * for any name,
 * separated by blanks; a step // stands for any number of elements.
 */
final class Index {
  final String name;
  final int length; // the most bytes of a key, 0 for any
  private final String[] steps;
  private final String type;
  private final int scale;

  Index(String name, String pattern, String keyType) {
    this.name = name;
    this.steps = pattern.split(" ");
    int open = keyType.indexOf('(');
    this.type = open < 0 ? keyType : keyType.substring(0, open);
    String[] sizes = open < 0 ? new String[0] : keyType.substring(open + 1, keyType.length() - 1).split(",");
    this.length = type.equals("VARCHAR") && sizes.length == 1 ? Integer.parseInt(sizes[0].trim()) : 0;
    this.scale = sizes.length == 2 ? Integer.parseInt(sizes[1].trim()) : 0;
  }

  boolean matches(List<String> path) {
    return matches(0, path, 0);
  }

  private boolean matches(int step, List<String> path, int at) {
    if (step == steps.length) {
      return at == path.size();
    }
    if (steps[step].equals("//")) {
      for (int skip = at; skip < path.size(); skip++) {
        if (matches(step + 1, path, skip)) {
          return true;
        }
      }
      return false;
    }
    return at < path.size() && same(steps[step], path.get(at)) && matches(step + 1, path, at + 1);
  }

  private static boolean same(String step, String node) {
    if (step.equals("*")) {
      return !node.startsWith("@");
    }
    if (step.equals("@*")) {
      return node.startsWith("@");
    }
    return step.equals(node);
  }

  /** The key as it is compared, null for a value that does not cast, which an index leaves out. */
  String canonical(String value) {
    try {
      switch (type) {
        case "DOUBLE":
          return Double.toString(Double.parseDouble(value.trim()));
        case "INTEGER":
          return Integer.toString(Integer.parseInt(value.trim()));
        case "DECIMAL":
          return new BigDecimal(value.trim()).setScale(scale, RoundingMode.UNNECESSARY).toPlainString();
        default:
          return value;
      }
    } catch (ArithmeticException | NumberFormatException ex) {
      return null;
    }
  }

  void set(PreparedStatement q, String key) throws SQLException {
    if (type.equals("DOUBLE")) {
      q.setDouble(1, Double.parseDouble(key)); // Derby casts no text to DOUBLE
    } else {
      q.setString(1, key);
    }
  }
}
