// What k6 keeps of a run. Users of k6 share no memory and the summary knows no
// tags, so whatever is to be told apart at the end is a metric of its own, or
// has a threshold, which makes k6 keep it apart (a sub-metric).
import { Counter, Gauge, Trend } from 'k6/metrics';
import { ASIDE, label, reasons } from './reasons.js';
import { transactions } from './registry.js';
import { settings } from './settings.js';
import { workload } from './workload.js';

// Slices are what steadiness is judged by: seconds, or in a long run the
// sixtieth part of it, since each costs every user an object. The watch counts.
export const sliceSeconds = Math.max(1, Math.ceil(settings.duration / 60));
export const sliceCount = Math.ceil(settings.duration / sliceSeconds);

export const intervalCount = Math.ceil(settings.duration / settings.every);
const pad = (n) => String(n).padStart(4, '0');
export const intervalName = (i) => `interval_${pad(i)}`;
export const sliceName = (i) => `slice_${pad(i)}`;

const several = (count, make) => Array.from({ length: count }, (_, i) => make(i));

// The times of a transaction, which are counted with them, are k6's own of its
// requests, told apart by their name: a sample of our own would cost twice what all
// the drawing does. Only where a transaction may be two requests are there trends
// of our own; so it is with the times by kind and of all.
export const twoRequests = workload.mix.some((part) => transactions[part.transaction].replaces);
const trends = twoRequests && {
  times: workload.mix.map((part) => new Trend(part.transaction, true)),
  kinds: Object.fromEntries([...new Set(workload.mix.map((part) => transactions[part.transaction].kind))].map((kind) => [kind, new Trend(`kind_${kind}`, true)])),
  all: new Trend('all_transactions', true),
};
const measured = (tags) => `http_req_duration{phase:measured${tags}}`;

// How often a transaction was begun in the measured time and ended is counted by
// k6 with its requests, too. Its own metrics give that during the run; of a trend
// they do not.
const counts = twoRequests && workload.mix.map((part) => new Counter(`${part.transaction}_ended`));
export const countName = (transaction) => (twoRequests ? `${transaction}_ended` : `http_reqs{phase:measured,name:${transaction}}`);
export const timesName = (transaction) => (twoRequests ? transaction : measured(`,name:${transaction}`));
export const kindName = (kind) => (twoRequests ? `kind_${kind}` : measured(`,kind:${kind}`));
export const allName = twoRequests ? 'all_transactions' : measured('');

// addTimes gives a function that counts a transaction and, unless nobody answered,
// adds its time to the trends.
export function addTimes(i) {
  const own = [trends.times[i], trends.kinds[transactions[workload.mix[i].transaction].kind], trends.all];
  return (time, answered) => {
    counts[i].add(1);
    if (answered) own.forEach((trend) => trend.add(time));
  };
}

// What was refused, by reason, and what there was nothing for. The rest did its
// work. Beside the reasons stand those of ASIDE, for what did not both begin and
// end in the measured time: they are few.
export const refused = workload.mix.map((part) => new Counter(`${part.transaction}_refused`));
export const empty = workload.mix.map((part) => new Counter(`${part.transaction}_empty_pool`));

// A run of one interval is that interval.
export const intervals = intervalCount === 1 ? [] : several(intervalCount, (i) => new Trend(intervalName(i), true));
export const intervalsRefused = intervalCount === 1 ? [] : several(intervalCount, (i) => new Counter(`${intervalName(i)}_refused`));
export const slices = several(sliceCount, (i) => new Counter(sliceName(i)));

export const wrong = new Counter('wrong_answers');
export const invalid = new Counter('invalid'); // 1 if the run is; see watch.js
export const prepared = { orders: new Counter('prepared_orders'), customers: new Counter('prepared_customers'), refused: new Counter('prepared_refused'), late: new Counter('prepared_late') };
export const gauges = {};
for (const name of ['ramp_from', 'measured_from', 'prepare_seconds', 'generator_cpu', 'generator_memory_before', 'generator_memory_after', 'service_cpu', 'service_memory_before', 'service_memory_after', 'generator_cores', 'ended', 'run_mark', 'interrupted']) {
  gauges[name] = new Gauge(name);
}

export const refusedName = (transaction, reason) => `${transaction}_refused{reason:${reason}}`;
export const preparedRefusedName = (reason) => `prepared_refused{reason:${reason}}`;

// thresholds: what fails a run, and what only has to be kept apart.
export function thresholds() {
  const kept = ['count>=0'];
  const must = (expression) => [settings.allowInvalid ? expression.replace(/<.*/, '>=0') : expression];
  const t = {
    'http_req_failed{phase:measured}': must('rate<0.005'), // unexpected refusals
    wrong_answers: must('count<1'),
    dropped_iterations: must('count<1'),
    invalid: must('count<1'), // these and all the others for which a run is INVALID
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

// counted gives those of a list of reasons that occurred, as a result calls them.
export function counted(metrics, nameOf, wanted, name = label) {
  const found = {};
  for (const reason of wanted) {
    const n = metrics[nameOf(reason)] ? metrics[nameOf(reason)].values.count : 0;
    if (n > 0) found[name(reason)] = n;
  }
  return found;
}
