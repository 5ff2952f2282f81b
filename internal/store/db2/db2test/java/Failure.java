import java.sql.SQLException;

/**
 * What a function of the bench refuses, by the SQLSTATEs that the proxy turns
 * into what Db2 says (drda/codes.go). Derby lets only 38xxx of a function pass.
 */
final class Failure {
  static final String NOT_WELL_FORMED = "38W01";
  static final String INVALID = "38W02";
  static final String DYNAMIC = "38W03";
  static final String NO_SCHEMA = "38W04";
  static final String NOT_ONE = "38W05";
  static final String DUPLICATE = "38W06";
  static final String KEY_TOO_LONG = "38W07";
  static final String TOO_LONG = "38W08";
  static final String UNSUPPORTED = "38W09";
  static final String TARGET = "38W10";
  static final String CAST = "38W11";
  static final String STATIC = "38W12";
  static final String NOT_FIRST = "38W15";
  static final String EXISTS = "38W16";

  private static final String DEADLOCK = "38W13";
  private static final String LOCK_TIMEOUT = "38W14";

  private Failure() {}

  /** A failure of a statement within a function, which Derby would tell as 38000, whatever it was. */
  static SQLException within(SQLException ex) {
    switch (ex.getSQLState()) {
      case "40001":
        return of(DEADLOCK, ex.getMessage());
      case "40XL1": case "40XL2":
        return of(LOCK_TIMEOUT, ex.getMessage());
      default:
        return ex;
    }
  }

  /** Clients see IBM's text for the code and not this message, so it is printed too. */
  static SQLException of(String state, String message) {
    System.err.println("bench: " + state + " " + message.replace('\n', ' '));
    return new SQLException(message, state);
  }
}
