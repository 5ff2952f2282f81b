package drda

// A code is an error as Db2 reports it. The token is the one in its message; where it is empty, Derby's own tokens
// stay.
type code struct {
	sqlcode  int32
	sqlstate string
	token    string
}

// codes are Db2's for the SQLSTATEs of Derby and of the bench's own functions (java/Failure.java), as this project
// reads IBM's messages. A test that asserts one of them tests how a code is mapped, not that Db2 returns it.
var codes = map[string]code{
	// Locks: both roll the transaction back.
	"40001": {-911, "40001", "2"},
	"40XL1": {-911, "40001", "68"}, "40XL2": {-911, "40001", "68"},
	"38W13": {-911, "40001", "2"}, "38W14": {-911, "40001", "68"}, // within one of the bench's functions

	"23505": {-803, "23505", ""}, "23502": {-407, "23502", ""}, "22001": {-302, "22001", ""},

	// Names and syntax.
	"42X05": {-204, "42704", ""}, "42Y07": {-204, "42704", ""}, "42Y55": {-204, "42704", ""},
	"X0Y32": {-601, "42710", ""}, "42X01": {-104, "42601", ""},

	// The bench's own.
	"38W01": {-16129, "2200M", ""},      // XMLPARSE: not well-formed
	"38W02": {-16196, "2200M", ""},      // XMLVALIDATE: not valid
	"38W03": {-16003, "10507", ""},      // XQuery: an error of a run
	"38W04": {-204, "42704", ""},        // no such XML schema
	"38W06": {-803, "23505", ""},        // a duplicate in a unique index over XML
	"38W07": {-20305, "23525", ""},      // a value too long for an index over XML
	"38W08": {-433, "22001", ""},        // XMLSERIALIZE: too long for the type
	"38W09": {-99999, "IM999", "bench"}, // not Db2's: the bench cannot do it
	"38W15": {-428, "25001", ""},        // TRUNCATE that is not the first of its unit of work
	"38W16": {-601, "42710", ""},        // an XML schema of that name is registered
}
