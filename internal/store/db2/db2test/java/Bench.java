import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.derby.drda.NetworkServerControl;

/**
 * The server of the bench: Derby, with databases that know the functions which a
 * rewritten statement calls. It says "ready" with its port, takes commands from
 * standard input, answers each with a line, and ends with that input.
 */
public final class Bench {
  private static final String TEMPLATE = "template";

  private static final String[] FUNCTIONS = {
    "CREATE SCHEMA BENCH",
    "CREATE TABLE BENCH.XML_INDEXES (NAME VARCHAR(256) PRIMARY KEY, ON_TABLE VARCHAR(256), ON_COLUMN VARCHAR(128),"
        + " PATTERN VARCHAR(4000), KEY_TYPE VARCHAR(64), IS_UNIQUE INTEGER)",
    query("XQ", "CLOB(16M)", "xq"),
    query("XQ_ATOM", "VARCHAR(32672)", "xqAtom"),
    query("XQ_EXISTS", "INTEGER", "xqExists"),
    "CREATE FUNCTION BENCH.XQ_KEEP(STATEMENT INTEGER, GIVE INTEGER, V VARCHAR(32672) ...) RETURNS VARCHAR(32672) LANGUAGE JAVA"
        + " PARAMETER STYLE DERBY DETERMINISTIC NO SQL EXTERNAL NAME 'Functions.keep'",
    function("XML_PARSE(C CLOB(16M)) RETURNS CLOB(16M)", "parse"),
    function("XML_VALIDATE(ID VARCHAR(256), C CLOB(16M)) RETURNS CLOB(16M)", "validate"),
    function("XML_SERIALIZE(C CLOB(16M), MOST BIGINT) RETURNS CLOB(16M)", "serialize"),
    function("IS_DOCUMENT(C CLOB(16M)) RETURNS INTEGER", "isDocument"),
    function("DOUBLE_TEXT(D DOUBLE) RETURNS VARCHAR(64)", "doubleText"),
    "CREATE FUNCTION BENCH.ROW_BY_KEY(NAME VARCHAR(256), LOCKED VARCHAR(256), STATEMENT INTEGER, GIVE INTEGER, V VARCHAR(32672) ...)"
        + " RETURNS BIGINT LANGUAGE JAVA PARAMETER STYLE DERBY DETERMINISTIC READS SQL DATA EXTERNAL NAME 'Keys.row'",
    function("BYTES(C CLOB(16M)) RETURNS BLOB(16M)", "bytes"),
    function("OCTETS(C CLOB(16M)) RETURNS INTEGER", "octets"),
    procedure("XML_KEYS(T VARCHAR(256), C VARCHAR(128), R BIGINT, D CLOB(16M))", "Keys.maintain"),
    procedure("CREATE_XML_INDEX(N VARCHAR(256), T VARCHAR(256), C VARCHAR(128), P VARCHAR(4000), K VARCHAR(64), D VARCHAR(64), U INTEGER)",
        "Keys.create"),
    procedure("DROP_XML_INDEX(N VARCHAR(256))", "Keys.drop"),
    procedure("NOTHING(WHAT CLOB(16M))", "Functions.nothing"),
    procedure("COMMAND(WHAT VARCHAR(32672))", "Functions.command"),
    "CREATE TABLE BENCH.XSROBJECTS (OBJECTSCHEMA VARCHAR(128) NOT NULL, OBJECTNAME VARCHAR(128) NOT NULL, LOCATION VARCHAR(1000),"
        + " PRIMARY KEY (OBJECTSCHEMA, OBJECTNAME))",
    procedure("XSR_REGISTER(OWNER VARCHAR(128), NAME VARCHAR(128), LOCATION VARCHAR(1000))", "Functions.register"),
    procedure("NOT_FIRST()", "Functions.notFirst"),
    "CREATE TABLE BENCH.ROUTINES (ROUTINESCHEMA VARCHAR(128))",
    "CREATE TABLE BENCH.SEQUENCES (SEQSCHEMA VARCHAR(128))",
    "CREATE TABLE BENCH.TABLESPACES (TBSPACE VARCHAR(128))",
    "CREATE TABLE BENCH.BUFFERPOOLS (BPNAME VARCHAR(128))",
    // What is asked of a server: version, configuration, and how large the tables are.
    "CREATE TABLE BENCH.ENV_INST_INFO (SERVICE_LEVEL VARCHAR(128))",
    "INSERT INTO BENCH.ENV_INST_INFO VALUES ('bench: Derby, no Db2')",
    "CREATE TABLE BENCH.DBCFG (NAME VARCHAR(32), VALUE VARCHAR(1024), DBPARTITIONNUM SMALLINT)",
    "INSERT INTO BENCH.DBCFG VALUES ('codeset', 'UTF-8', 0), ('cur_commit', 'DISABLED', 0)",
    "CREATE VIEW BENCH.ADMIN_TAB_INFO (TABNAME, DATA_OBJECT_P_SIZE, LONG_OBJECT_P_SIZE, LOB_OBJECT_P_SIZE, XML_OBJECT_P_SIZE, INDEX_OBJECT_P_SIZE)"
        + " AS SELECT TABLENAME, CASE ISINDEX WHEN 0 THEN NUMALLOCATEDPAGES * PAGESIZE / 1024 ELSE 0 END, 0, 0, 0,"
        + " CASE ISINDEX WHEN 1 THEN NUMALLOCATEDPAGES * PAGESIZE / 1024 ELSE 0 END"
        + " FROM TABLE (SYSCS_DIAG.SPACE_TABLE()) AS S JOIN SYS.SYSTABLES AS T ON S.TABLEID = T.TABLEID",
    // Nobody has collected statistics here, and there are no buffer pools: the figures stand for some.
    "CREATE VIEW BENCH.TABLES (TABSCHEMA, TABNAME, CARD) AS SELECT SCHEMANAME, TABLENAME, CAST(-1 AS BIGINT)"
        + " FROM SYS.SYSTABLES AS T JOIN SYS.SYSSCHEMAS AS S ON S.SCHEMAID = T.SCHEMAID",
    // Derby compares texts by code point.
    "CREATE VIEW BENCH.COLUMNS (TABSCHEMA, TABNAME, COLNAME, COLLATIONNAME) AS SELECT S.SCHEMANAME, T.TABLENAME, C.COLUMNNAME, 'IDENTITY'"
        + " FROM SYS.SYSCOLUMNS AS C JOIN SYS.SYSTABLES AS T ON T.TABLEID = C.REFERENCEID JOIN SYS.SYSSCHEMAS AS S ON S.SCHEMAID = T.SCHEMAID",
    "CREATE TABLE BENCH.BUFFERPOOL (POOL_DATA_L_READS BIGINT, POOL_TEMP_DATA_L_READS BIGINT, POOL_INDEX_L_READS BIGINT,"
        + " POOL_TEMP_INDEX_L_READS BIGINT, POOL_XDA_L_READS BIGINT, POOL_TEMP_XDA_L_READS BIGINT, POOL_DATA_P_READS BIGINT,"
        + " POOL_TEMP_DATA_P_READS BIGINT, POOL_INDEX_P_READS BIGINT, POOL_TEMP_INDEX_P_READS BIGINT, POOL_XDA_P_READS BIGINT,"
        + " POOL_TEMP_XDA_P_READS BIGINT, POOL_ASYNC_DATA_READS BIGINT, POOL_ASYNC_INDEX_READS BIGINT, POOL_ASYNC_XDA_READS BIGINT)",
    "INSERT INTO BENCH.BUFFERPOOL VALUES (1000, 1, 500, 2, 100, 3, 100, 1, 50, 2, 10, 3, 40, 20, 5), (1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)",
  };

  private Bench() {}

  private static String query(String name, String type, String method) {
    return "CREATE FUNCTION BENCH." + name + "(Q VARCHAR(32672), SPEC VARCHAR(1000), V CLOB(16M) ...) RETURNS " + type
        + " LANGUAGE JAVA PARAMETER STYLE DERBY NO SQL EXTERNAL NAME 'Functions." + method + "'";
  }

  private static String function(String head, String method) {
    return "CREATE FUNCTION BENCH." + head + " LANGUAGE JAVA PARAMETER STYLE JAVA NO SQL EXTERNAL NAME 'Functions." + method + "'";
  }

  private static String procedure(String head, String method) {
    return "CREATE PROCEDURE BENCH." + head + " LANGUAGE JAVA PARAMETER STYLE JAVA MODIFIES SQL DATA EXTERNAL NAME '" + method + "'";
  }

  public static void main(String... args) throws Exception {
    makeTemplate();
    System.out.println("ready " + serve());
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      System.out.println(obeyed(line.split(" ")));
    }
    System.exit(0);
  }

  /** Making a database takes Derby half a second, copying one a tenth of that. */
  private static void makeTemplate() throws SQLException {
    try (Connection c = DriverManager.getConnection("jdbc:derby:" + TEMPLATE + ";create=true"); Statement s = c.createStatement()) {
      for (String statement : FUNCTIONS) {
        s.execute(statement);
      }
    }
    try {
      DriverManager.getConnection("jdbc:derby:" + TEMPLATE + ";shutdown=true").close();
    } catch (SQLException ex) {
      if (!"08006".equals(ex.getSQLState())) { // which says that it is closed
        throw ex;
      }
    }
  }

  /** Derby takes no port 0, so a free one is looked for, and another one if somebody was faster. */
  private static int serve() throws Exception {
    for (int attempt = 0; ; attempt++) {
      int port;
      try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        port = free.getLocalPort();
      }
      NetworkServerControl server = new NetworkServerControl(InetAddress.getLoopbackAddress(), port);
      server.start(new PrintWriter(System.err, true));
      for (int wait = 0; wait < 100; wait++) {
        try {
          server.ping();
          return port;
        } catch (Exception notYet) {
          Thread.sleep(50);
        }
      }
      if (attempt == 3) {
        throw new IllegalStateException("Derby does not listen");
      }
    }
  }

  private static String obeyed(String[] command) {
    try {
      switch (command[0]) {
        case "create":
          copy(TEMPLATE, command[1]);
          break;
        case "clone":
          // A backup of a database in use is consistent; its folder is then like any other one.
          try (Connection c = DriverManager.getConnection("jdbc:derby:" + command[1]); Statement s = c.createStatement()) {
            s.execute("CALL SYSCS_UTIL.SYSCS_BACKUP_DATABASE('" + home().resolve("copies") + "')");
          }
          copy("copies/" + command[1], command[2]);
          break;
        default:
          return "error what is " + command[0] + "?";
      }
      return "ok";
    } catch (Exception ex) {
      return "error " + ex.toString().replace('\n', ' ');
    }
  }

  private static Path home() {
    return Path.of(System.getProperty("derby.system.home")).toAbsolutePath();
  }

  private static void copy(String from, String to) throws SQLException {
    DriverManager.getConnection("jdbc:derby:" + to + ";createFrom=" + home().resolve(from)).close();
  }
}
