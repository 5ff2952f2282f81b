// The metrics of a run. Users of k6 share no memory, and the summary has no tags, so each figure of the result is a
// metric of its own, or has a threshold, for which k6 keeps a sub-metric.
import { Counter, Gauge, Trend } from 'k6/metrics';
import { ASIDE, label, reasons } from './reasons.js';
import { transactions } from './registry.js';
import { settings } from './settings.js';
import { workload } from './workload.js';

// Slices are the parts of a run whose rates must be steady: seconds, or a sixtieth of a long run, since each slice
// costs every user an object. The watcher counts them.
export const sliceSeconds = Math.max(1, Math.ceil(settings.duration / 60));
export const sliceCount = Math.ceil(settings.duration / sliceSeconds);

export const intervalCount = Math.ceil(settings.duration / settings.every);
const pad = (n) => String(n).padStart(4, '0');
export const intervalName = (i) => `interval_${pad(i)}`;
export const sliceName = (i) => `slice_${pad(i)}`;

const several = (count, make) => Array.from({ length: count }, (_, i) => make(i));

// Times are k6's own, of requests with a tag for the transaction: a sample of our own would cost twice as much as all
// drawing. Only a mix with transactions of two requests has trends of its own.
export const twoRequests = workload.mix.some((part) => transactions[part.transaction].replaces);
const trends = twoRequests && {
  times: workload.mix.map((part) => new Trend(part.transaction, true)),
  kinds: Object.fromEntries([...new Set(workload.mix.map((part) => transactions[part.transaction].kind))].map((kind) => [kind, new Trend(`kind_${kind}`, true)])),
  all: new Trend('all_transactions', true),
};
const measured = (tags) => `http_req_duration{phase:measured${tags}}`;

// k6 also counts the transactions that were begun in the measured time and ended. Its API has counts during the run,
// but not those of trends.
const counts = twoRequests && workload.mix.map((part) => new Counter(`${part.transaction}_ended`));
export const countName = (transaction) => (twoRequests ? `${transaction}_ended` : `http_reqs{phase:measured,name:${transaction}}`);
export const timesName = (transaction) => (twoRequests ? transaction : measured(`,name:${transaction}`));
export const kindName = (kind) => (twoRequests ? `kind_${kind}` : measured(`,kind:${kind}`));
export const allName = twoRequests ? 'all_transactions' : measured('');

// addTimes returns a function that counts a transaction and, if there was an answer, adds its time to the trends.
export function addTimes(i) {
  const own = [trends.times[i], trends.kinds[transactions[workload.mix[i].transaction].kind], trends.all];
  return (time, answered) => {
    counts[i].add(1);
    if (answered) own.forEach((trend) => trend.add(time));
  };
}

// Counters of refusals by reason, and of transactions without anything to remove; the rest did its work. ASIDE are
// further reasons, for the few transactions that did not both begin and end in the measured time.
export const refused = workload.mix.map((part) => new Counter(`${part.transaction}_refused`));
export const empty = workload.mix.map((part) => new Counter(`${part.transaction}_empty_pool`));

// A run of one interval is that interval.
export const intervals = intervalCount === 1 ? [] : several(intervalCount, (i) => new Trend(intervalName(i), true));
export const intervalsRefused = intervalCount === 1 ? [] : several(intervalCount, (i) => new Counter(`${intervalName(i)}_refused`));
export const slices = several(sliceCount, (i) => new Counter(sliceName(i)));

export const wrongAnswers = new Counter('wrong_answers');
export const invalid = new Counter('invalid'); // 1 if the run is invalid; see watch.js
export const prepared = { orders: new Counter('prepared_orders'), customers: new Counter('prepared_customers'), refused: new Counter('prepared_refused'), late: new Counter('prepared_late') };
export const gauges = {};
for (const name of ['ramp_from', 'measured_from', 'prepare_seconds', 'generator_cpu', 'generator_memory_before', 'generator_memory_after', 'service_cpu', 'service_memory_before', 'service_memory_after', 'generator_cores', 'ended', 'run_mark', 'interrupted']) {
  gauges[name] = new Gauge(name);
}

export const refusedName = (transaction, reason) => `${transaction}_refused{reason:${reason}}`;
export const preparedRefusedName = (reason) => `prepared_refused{reason:${reason}}`;

// thresholds returns the limits of a run, and thresholds that never fail, for which k6 keeps sub-metrics.
export function thresholds() {
  const kept = ['count>=0'];
  const must = (expression) => [settings.allowInvalid ? expression.replace(/<.*/, '>=0') : expression];
  const t = {
    'http_req_failed{phase:measured}': must('rate<0.005'), // unexpected refusals
    wrong_answers: must('count<1'),
    dropped_iterations: must('count<1'),
    invalid: must('count<1'), // these, and everything else that makes a run INVALID
    prepared_late: kept,
    'iterations{phase:measured}': kept, // for the reports during the run
  };
  for (const { transaction } of workload.mix) {
    if (!twoRequests) t[kindName(transactions[transaction].kind)] = t[allName] = ['max>=0'];
    t[timesName(transaction)] = [settings.p99 > 0 ? `p(99)<${settings.p99}` : 'max>=0'];
    t[countName(transaction)] = kept;
    for (const reason of [...reasons, ...ASIDE]) t[refusedName(transaction, reason)] = kept;
  }
  for (const reason of reasons) t[preparedRefusedName(reason)] = kept;
  return t;
}

// counted returns the counts of the reasons that occurred, under the names of a result.
export function counted(metrics, nameOf, wanted, name = label) {
  const found = {};
  for (const reason of wanted) {
    const n = metrics[nameOf(reason)] ? metrics[nameOf(reason)].values.count : 0;
    if (n > 0) found[name(reason)] = n;
  }
  return found;
}
