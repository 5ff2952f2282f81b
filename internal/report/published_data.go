package report

// publication is a system of which the TPoX papers report figures.
type publication struct {
	System, Hardware string
	Year             int
	Cores            int
	Size             string // of the raw data
	Bytes            float64
	Profile          string
}

var (
	power5 = publication{System: "Db2 9", Hardware: "POWER5, 8 cores", Year: 2006, Cores: 8,
		Size: "100 GB", Bytes: 100e9, Profile: "tpox-1"}
	xeon71 = publication{System: "Db2 9", Hardware: "Xeon 7140M, 4 × 2 cores", Year: 2007, Cores: 8,
		Size: "50 GB", Bytes: 50e9, Profile: "tpox-1"}
	xeon73 = publication{System: "Db2 9.5", Hardware: "Xeon 7300, 16 cores", Year: 2008, Cores: 16,
		Size: "1 TB", Bytes: 1e12, Profile: "tpox-1"}
	xeon74 = publication{System: "Db2 9.5", Hardware: "Xeon 7400, 24 cores", Year: 2008, Cores: 24,
		Size: "1 TB", Bytes: 1e12, Profile: "tpox-1"}
	power6 = publication{System: "Db2 9.7", Hardware: "POWER6 JS43, 8 cores", Year: 2009, Cores: 8,
		Size: "1 TB", Bytes: 1e12, Profile: "tpox-2"}
)

// published is a figure of the papers, with the workload of ours that does the same.
type published struct {
	publication
	Workload  string
	Measure   string
	Validated bool // in the papers; only that of insert-customers is used
	Users     int  // 0 when not published
	Rate      float64
	Note      string // what else the papers say about it
}

// The measures of the papers.
const (
	the13          = "13 transactions, not validated"
	the17          = "17 transactions"
	the7           = "seven queries"
	orderInserts   = "insert orders"
	custaccInserts = "insert CustAcc, not validated"
)

var results = []published{
	{power5, "classic", the13, false, 150, 1980, "best of 25 to 150 users; 42 % busy, 50 % waiting for I/O"},
	{power5, "classic", the13, false, 25, 1000, "approximate rate"},
	{xeon71, "classic", the13, false, 200, 3752, "best of 25 to 200 users"},
	{xeon74, "mixed", the17, true, 200, 6763, "best of 25 to 200 users; 1.48 times the rate of 16 cores at 150 users"},
	{xeon74, "mixed", the17, true, 200, 6368, "out of the box: one table space, one pool (−6 %)"},
	{xeon74, "mixed", the17, true, 150, 6472, "computed as 1.42 times the rate of 16 cores"},
	{xeon73, "mixed", the17, true, 150, 4558, ""},
	{power6, "mixed", the17, true, 300, 4107, "best of up to 300 users; mean time 0.07 s"},
	{power5, "query", the7, true, 150, 5480, "96 % busy"},
	{power5, "query", the7, true, 25, 2000, ""},
	{xeon71, "query", the7, true, 125, 4793, "also with 2 and 4 cores, whose figures are not published"},
	{power5, "insert-orders", orderInserts, false, 100, 5320, "in stages"},
	{xeon71, "insert-orders", orderInserts, false, 100, 4500, ""},
	{xeon74, "insert-orders", orderInserts, false, 600, 11904, "3 million documents onto the populated database, 69 GB/h"},
	{power6, "insert-orders", orderInserts, false, 0, 13945, "50 million documents an hour, 75 GB/h"},
	{power5, "insert-customers", custaccInserts, false, 100, 1550, "in stages"},
	{xeon71, "insert-customers", custaccInserts, false, 50, 1400, ""},
	{xeon74, "insert-customers", custaccInserts, false, 600, 4913,
		"2 million documents onto the populated database, 101 GB/h"},
	{power6, "insert-customers", custaccInserts, false, 0, 5119, "18.2 million documents an hour, 120 GB/h"},
}

// publishedTime is a published row of statistics, of a mixed run of two hours: a count, and the total time in seconds.
type publishedTime struct {
	count int64
	total float64
}

// mean returns the mean time in milliseconds.
func (p publishedTime) mean() float64 { return 1000 * p.total / float64(p.count) }

// publishedTimes are the papers' statistics of Db2 9.5 at 200 users, by the names of our transactions. A test
// compares the names, and sums of the counts.
var publishedTimes = map[string]publishedTime{
	"get_order":             {4_859_631, 84_490.77},
	"get_security":          {4_855_112, 31_999.10},
	"customer_profile":      {4_863_296, 79_068.06},
	"search_securities":     {4_861_991, 286_924.50},
	"account_summary":       {4_855_457, 86_128.72},
	"get_security_price":    {4_859_441, 30_378.65},
	"customer_max_order":    {4_856_963, 253_992.34},
	"close_account":         {485_654, 15_431.24},
	"open_account":          {486_821, 31_283.13},
	"update_security_price": {1_458_598, 33_801.16},
	"update_order_status":   {1_460_055, 61_331.56},
	"buy_security":          {1_457_954, 55_542.71},
	"sell_security":         {1_457_241, 54_253.77},
	"delete_customer":       {485_762, 14_893.65},
	"delete_order":          {3_400_792, 105_141.35},
	"insert_customer":       {487_083, 14_013.69},
	"insert_order":          {3_403_245, 67_252.42},
}
