package drda

// code is an error as Db2 reports it. The token is inserted into its message;
// if it is empty, Derby's own tokens stay.
type code struct {
	sqlcode  int32
	sqlstate string
	token    string
}

// codes are Db2's codes for the SQLSTATEs of Derby and of the bench's own
// functions (java/Failure.java). The table is this project's reading of IBM's
// messages: a test that asserts one of these codes tests the mapping of a code,
// and not that Db2 gives it.
var codes = map[string]code{
	// Locks: a deadlock (2) and a timeout (68) roll the transaction back.
	"40001": {-911, "40001", "2"},
	"40XL1": {-911, "40001", "68"}, "40XL2": {-911, "40001", "68"},
	"38W13": {-911, "40001", "2"}, "38W14": {-911, "40001", "68"}, // within one of the bench's functions

	// Constraints.
	"23505": {-803, "23505", ""}, "23503": {-530, "23503", ""}, "23502": {-407, "23502", ""}, "23513": {-545, "23513", ""},

	// Names and syntax.
	"42X05": {-204, "42704", ""}, "42Y07": {-204, "42704", ""}, "42Y55": {-204, "42704", ""}, "42X65": {-204, "42704", ""},
	"X0Y32": {-601, "42710", ""}, "X0Y68": {-601, "42710", ""},
	"42X04": {-206, "42703", ""}, "42X14": {-206, "42703", ""},
	"42X01": {-104, "42601", ""}, "42X02": {-104, "42601", ""},
	"42Y03": {-440, "42884", ""},

	// Values.
	"22001": {-302, "22001", ""}, "22003": {-413, "22003", ""}, "22018": {-420, "22018", ""},

	// The bench's own.
	"38W01": {-16129, "2200M", ""},      // XMLPARSE: not well-formed
	"38W02": {-16196, "2200M", ""},      // XMLVALIDATE: not valid
	"38W03": {-16003, "10507", ""},      // XQuery: a type that does not fit, and other run-time errors
	"38W04": {-204, "42704", ""},        // no such XML schema
	"38W05": {-16003, "10507", ""},      // XMLCAST of more than one item
	"38W06": {-803, "23505", ""},        // a duplicate in a unique index over XML
	"38W07": {-20305, "23525", ""},      // a value too long for an index over XML
	"38W08": {-433, "22001", ""},        // XMLSERIALIZE: too long for the type
	"38W09": {-99999, "IM999", "bench"}, // not Db2's: the bench cannot do it
	"38W10": {-16085, "10703", ""},      // XQuery Update: not exactly one target
	"38W11": {-16061, "10608", ""},      // XQuery: a value that does not cast
	"38W12": {-16002, "10505", ""},      // XQuery: syntax
	"38W15": {-428, "25001", ""},        // TRUNCATE that is not the first of its unit of work
	"38W16": {-601, "42710", ""},        // an XML schema of that name is registered
}
