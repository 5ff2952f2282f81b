package main

import "fmt"

// here selects the chosen instances; other labels may precede it. Outside of Kubernetes there are no namespaces and
// pods, and All, which is .*, selects series without these labels.
const here = `job="brokerage",namespace=~"$namespace",pod=~"$pod",instance=~"$instance"`

// ofService selects what rules record for all instances together.
const ofService = `{job="brokerage",namespace=~"$namespace"}`

// each lists the labels that identify an instance.
const each = "pod, instance"

// transactions selects the series of transactions and other operations on data.
const transactions = `transaction!="other",` + here

// per returns the rate of a counter.
func per(metric, labels string) string {
	return fmt.Sprintf("rate(%s{%s}[$__rate_interval])", metric, labels)
}

// by returns a sum by labels.
func by(labels, expr string) string { return fmt.Sprintf("sum by (%s) (%s)", labels, expr) }

// share returns a as a share of a and b.
func share(a, b string) string {
	return fmt.Sprintf("%[1]s / (%[1]s + %[2]s)", by(each, per(a, here)), by(each, per(b, here)))
}

// quantile returns a quantile of a histogram's classic buckets.
func quantile(q, labels, metric, of string) string {
	return fmt.Sprintf("histogram_quantile(%s, %s)", q, by(labels+", le", per(metric+"_bucket", of)))
}

// mean returns the mean of a histogram.
func mean(metric string) string {
	return by(each, per(metric+"_sum", here)) + " / " + by(each, per(metric+"_count", here))
}

func gauge(metric, labels string) string { return fmt.Sprintf("%s{%s}", metric, labels) }

const (
	durations = "brokerage_transaction_duration_seconds"
	commits   = "brokerage_store_commit_duration_seconds"
)

// rows are the panels of the dashboard: first what users notice, then possible causes.
var rows = []row{
	{"What users notice", []panel{
		{title: "Transactions", unit: "reqps", stack: true, queries: []query{
			{by("transaction", per("brokerage_transactions_total", transactions)), "{{transaction}}"},
		}},
		{title: "Outcomes but ok", unit: "reqps",
			about: "not_found, conflict, invalid and refused are the client's; unavailable, timeout, damaged and failed " +
				"the service's.", queries: []query{
				{by("outcome", per("brokerage_transactions_total", `outcome!="ok",`+transactions)), "{{outcome}}"},
			}},
		{title: "Duration", unit: "s", exemplars: true, about: "In the service, all transactions together.", queries: []query{
			{quantile("0.5", "namespace", durations, transactions), "{{namespace}} median"},
			{quantile("0.95", "namespace", durations, transactions), "{{namespace}} 95 %"},
			{quantile("0.99", "namespace", durations, transactions), "{{namespace}} 99 %"},
		}},
		{title: "Duration by transaction, 99 %", unit: "s", queries: []query{
			{quantile("0.99", "transaction", durations, transactions), "{{transaction}}"},
		}},
		{title: "Budget: failed", unit: "percentunit", about: "Of transactions; the promise is 0.1 %.", queries: []query{
			{"job:brokerage_transactions_failed:ratio_rate5m" + ofService, "{{namespace}} 5 minutes"},
			{"job:brokerage_transactions_failed:ratio_rate1h" + ofService, "{{namespace}} 1 hour"},
			{"job:brokerage_transactions_failed:ratio_rate3d" + ofService, "{{namespace}} 3 days"},
		}},
		{title: "Budget: over 100 ms", unit: "percentunit", about: "Of transactions; the promise is 1 %.", queries: []query{
			{"job:brokerage_transactions_slow:ratio_rate5m" + ofService, "{{namespace}} 5 minutes"},
			{"job:brokerage_transactions_slow:ratio_rate1h" + ofService, "{{namespace}} 1 hour"},
			{"job:brokerage_transactions_slow:ratio_rate3d" + ofService, "{{namespace}} 3 days"},
		}},
		{title: "Budget left of 30 days", unit: "percentunit", belowZero: true,
			about: "Below zero it is overspent. Prometheus must keep samples for 30 days, or it is the budget since its oldest.",
			queries: []query{
				{"job:brokerage_transactions_failed:budget_left30d" + ofService, "{{namespace}} failed"},
				{"job:brokerage_transactions_slow:budget_left30d" + ofService, "{{namespace}} over 100 ms"},
			}},
	}},
	{"The service", []panel{
		{title: "Requests under way", unit: "short", queries: []query{
			{gauge("brokerage_requests_in_flight", here), "{{pod}} {{instance}} worked on"},
			{gauge("brokerage_requests_waiting", here), "{{pod}} {{instance}} waiting"},
			{gauge("brokerage_requests_in_flight_limit", here), "{{pod}} {{instance}} limit"},
		}},
		{title: "Refused", unit: "reqps", queries: []query{
			{by("reason", per("brokerage_requests_refused_total", here)), "{{reason}}"},
		}},
		{title: "Bodies", unit: "Bps", queries: []query{
			{by(each, per("brokerage_request_bytes_total", here)), "{{pod}} {{instance}} received"},
			{by(each, per("brokerage_answer_bytes_total", here)), "{{pod}} {{instance}} sent"},
		}},
		{title: "Up and ready", unit: "short", queries: []query{
			{gauge("up", here), "{{pod}} {{instance}} up"}, {gauge("brokerage_store_ready", here), "{{pod}} {{instance}} ready"},
		}},
		{title: "Build", unit: "short", queries: []query{
			{by("version, revision", gauge("brokerage_build_info", here)), "{{version}} {{revision}}"},
		}},
		{title: "Dataset", unit: "short", queries: []query{
			{by("fingerprint", gauge("brokerage_dataset_info", here)), "{{fingerprint}}"},
		}},
	}},
	{"The store", []panel{
		{title: "Connections for reading", unit: "short", queries: []query{
			{gauge("brokerage_store_connections_in_use", here), "{{pod}} {{instance}} in use"},
			{gauge("brokerage_store_connections_open", here), "{{pod}} {{instance}} open"},
			{gauge("brokerage_store_connections_limit", here), "{{pod}} {{instance}} limit"},
		}},
		{title: "Reads that wait for one", unit: "short", about: "How many at any time, on average.", queries: []query{
			{per("brokerage_store_connection_wait_seconds_total", here), "{{pod}} {{instance}} waiting"},
			{per("brokerage_store_connection_waits_total", here), "{{pod}} {{instance}} waits a second"},
		}},
		{title: "Writer", unit: "percentunit", about: "Of the embedded store: the one that writes.", queries: []query{
			{per("brokerage_store_writer_busy_seconds_total", here), "{{pod}} {{instance}} busy"},
		}},
		{title: "Writes", unit: "short", queries: []query{
			{per("brokerage_store_commits_total", here), "{{pod}} {{instance}} commits a second"},
			{mean("brokerage_store_commit_writes"), "{{pod}} {{instance}} writes a commit"},
			{gauge("brokerage_store_writes_waiting", here), "{{pod}} {{instance}} waiting"},
		}},
		{title: "Commits", unit: "s", about: "Most of it is the flush to disk.", queries: []query{
			{quantile("0.5", each, commits, here), "{{pod}} {{instance}} median"},
			{gauge("instance:brokerage_store_commit_duration_seconds:p99_5m", here), "{{pod}} {{instance}} 99 %"},
		}},
		{title: "Caches", unit: "percentunit", about: "What was found there, of what was looked for.", queries: []query{
			{share("brokerage_store_page_hits_total", "brokerage_store_page_misses_total"), "{{pod}} {{instance}} pages"},
			{share("brokerage_store_cache_hits_total", "brokerage_store_cache_misses_total"),
				"{{pod}} {{instance}} snapshots kept"},
		}},
		{title: "Retries", unit: "ops", queries: []query{
			{by(each+", cause", per("brokerage_store_retries_total", here)), "{{pod}} {{instance}} {{cause}}"},
		}},
		{title: "Documents", unit: "short", queries: []query{
			{gauge("brokerage_store_documents", here), "{{pod}} {{instance}} {{kind}}"},
			{gauge("brokerage_dataset_documents", here), "{{pod}} {{instance}} {{kind}} as loaded"},
		}},
		{title: "Bytes of documents", unit: "bytes", queries: []query{
			{gauge("brokerage_store_document_bytes", here), "{{pod}} {{instance}} {{kind}} stored"},
			{gauge("brokerage_dataset_raw_bytes", here), "{{pod}} {{instance}} {{kind}} as loaded"},
		}},
		{title: "Packed to", unit: "percentunit", about: "Of their bytes, the documents that were packed lately.",
			queries: []query{
				{by("kind", per("brokerage_store_packed_stored_bytes_total", here)) + " / " +
					by("kind", per("brokerage_store_packed_raw_bytes_total", here)), "{{kind}}"},
				{by("kind", per("brokerage_store_packed_documents_total", here)), "{{kind}} a second"},
			}},
		{title: "Files", unit: "bytes", queries: []query{
			{gauge("brokerage_store_file_bytes", here), "{{pod}} {{instance}} database"},
			{gauge("brokerage_store_journal_bytes", here), "{{pod}} {{instance}} journal"},
			{gauge("brokerage_store_disk_free_bytes", here), "{{pod}} {{instance}} free"},
		}},
		{title: "Disk free", unit: "percentunit", queries: []query{
			{gauge("instance:brokerage_store_disk_free:ratio", here), "{{pod}} {{instance}}"},
		}},
	}},
	{"The process", []panel{
		{title: "Processor", unit: "short", about: "Cores.", queries: []query{
			{per("process_cpu_seconds_total", here), "{{pod}} {{instance}}"},
		}},
		{title: "Memory", unit: "bytes", queries: []query{
			{gauge("process_resident_memory_bytes", here), "{{pod}} {{instance}} resident"},
			{gauge("go_memstats_heap_inuse_bytes", here), "{{pod}} {{instance}} heap"},
		}},
		{title: "Goroutines and files", unit: "short", queries: []query{
			{gauge("go_goroutines", here), "{{pod}} {{instance}} goroutines"},
			{gauge("process_open_fds", here), "{{pod}} {{instance}} files"},
		}},
		{title: "Collector's pauses", unit: "s", about: "The longest.",
			queries: []query{{gauge("go_gc_duration_seconds", `quantile="1",`+here), "{{pod}} {{instance}}"}}},
		{title: "Scrapes", unit: "s", queries: []query{{gauge("scrape_duration_seconds", here), "{{pod}} {{instance}}"}}},
	}},
}
