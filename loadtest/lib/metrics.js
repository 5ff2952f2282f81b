// The metrics of a run. Users of k6 share no memory, and the summary has no tags, so each figure of the result is a
// sub-metric, which k6 keeps for every key of `thresholds`, also without a threshold, or a count of checks.
import { check } from 'k6';
import { Counter, Gauge, Trend } from 'k6/metrics';
import { transactions } from './registry.js';
import { settings } from './settings.js';
import { workload } from './workload.js';

// An interval is a time of EVERY or, with STEPS, a step. A user tags its samples with the interval in which it begins a
// transaction.
export const intervalCount = Math.ceil(settings.duration / settings.every);

// Times and counts are k6's own, of requests with a tag for the transaction: a sample of our own would cost twice as
// much as all drawing. Only a mix with transactions of two requests has metrics of its own.
export const twoRequests = workload.mix.some((part) => transactions[part.transaction].replaces);
const duration = twoRequests && new Trend('transaction_duration', true);
const ended = twoRequests && new Counter('transactions');
const tagged = (metric, tags) => `${metric}{${['phase:measured', ...tags].join(',')}}`;
const timesOf = (...tags) => tagged(twoRequests ? 'transaction_duration' : 'http_req_duration', tags);

// k6's API has counts during the run, but not those of trends.
export const countName = (transaction) => tagged(twoRequests ? 'transactions' : 'http_reqs', [`name:${transaction}`]);
export const timesName = (transaction) => timesOf(`name:${transaction}`);
export const kindName = (kind) => timesOf(`kind:${kind}`);
export const allName = timesOf();
export const intervalName = (i) => timesOf(`interval:${i}`);
export const intervalTimesName = (i, transaction) => timesOf(`interval:${i}`, `name:${transaction}`);

// addTimes returns a function that counts a transaction and, if there was an answer, adds its time.
export function addTimes({ transaction }) {
  const tags = { name: transaction, kind: transactions[transaction].kind };
  return (time, answered) => {
    ended.add(1, tags);
    if (answered) duration.add(time, tags);
  };
}

// note counts an outcome other than a good answer as a check, whose name needs no declaration: for the result by its
// name, for other outputs of k6 by its tags. The check fails if the outcome is a fault.
export function note(name, reason, right, interval = '') {
  const text = interval === '' ? `${name}: ${reason}` : `${name}: ${reason} in interval ${interval}`;
  check(right, { [text]: right }, { name, reason });
}

// noted returns the counts of note, of one interval or of all: noted(checks)[name][reason].
export function noted(checks, interval = '') {
  const counts = {};
  for (const { name: text, passes, fails } of checks || []) {
    const [, name, reason, when] = /^(\w+): ([a-z-]+)(?: in interval (\d+))?$/.exec(text) || [];
    if (name === undefined || (interval !== '' && when !== String(interval))) continue;
    if (counts[name] === undefined) counts[name] = {};
    counts[name][reason] = (counts[name][reason] || 0) + passes + fails;
  }
  return counts;
}

export const wrongAnswers = new Counter('wrong_answers');
export const invalid = new Counter('invalid'); // 1 if the run is invalid; see watch.js
export const prepared = { orders: new Counter('prepared_orders'), customers: new Counter('prepared_customers'), late: new Counter('prepared_late') };
export const gauges = {};
for (const name of ['ramp_from', 'measured_from', 'prepare_seconds', 'generator_cpu', 'generator_memory_before', 'generator_memory_after', 'service_cpu', 'service_memory_before', 'service_memory_after', 'generator_cores', 'ended', 'run_mark', 'interrupted']) {
  gauges[name] = new Gauge(name);
}

// thresholds returns the limits of a run, and the sub-metrics that the result needs.
export function thresholds() {
  const t = {};
  const keep = (name) => (t[name] = t[name] || []);
  const must = (name, expression) => keep(name).push(expression);
  if (!settings.allowInvalid) {
    must('http_req_failed{phase:measured}', 'rate<0.005'); // unexpected refusals
    must('wrong_answers', 'count<1');
    if (settings.steps.length === 0) must('dropped_iterations', 'count<1');
    must('invalid', 'count<1'); // these, and everything else that makes a run INVALID
  }
  keep('iterations{phase:measured}'); // for the reports during the run
  keep(allName);
  for (const { transaction } of workload.mix) {
    keep(kindName(transactions[transaction].kind));
    keep(timesName(transaction));
    keep(countName(transaction));
    if (settings.p99 > 0) must(timesName(transaction), `p(99)<${settings.p99}`);
  }
  for (let i = 0; intervalCount > 1 && i < intervalCount; i++) {
    keep(intervalName(i));
    for (const { transaction } of workload.mix) keep(intervalTimesName(i, transaction));
  }
  return t;
}
