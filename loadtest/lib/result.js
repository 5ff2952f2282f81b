// The result of a run in the form "brokerage-run/1", as brokerage drive has it (internal/result/run.go).
import { histogram } from './histogram.js';
import { machine } from './machine.js';
import { allName, countName, intervalCount, intervalName, intervalTimesName, kindName, noted, timesName } from './metrics.js';
import { ASIDE, CARRIED, EMPTY, LATE, LATE_UNANSWERED, NO_ANSWER, label } from './reasons.js';
import { transactions } from './registry.js';
import { parts, settings } from './settings.js';
import { workload } from './workload.js';
import { judge } from './validity.js';

const kindOrder = ['query', 'update', 'insert', 'delete'];
const sumOf = (list, of) => list.reduce((sum, x) => sum + of(x), 0);

// result returns null for a run that ended before any load.
export function result({ metrics, setup_data: setup, root_group: root }) {
  if (!setup || metrics === undefined) return null;
  const value = (name, of = 'value', byDefault = 0) => (metrics[name] ? metrics[name].values[of] : byDefault);
  const counts = noted(root.checks);
  const { perSecond: seconds, dropped, cpu } = setup.seen || { perSecond: [], dropped: [], cpu: [] };

  const now = Date.now();
  const from = value('measured_from', 'min', now);
  const measured = Math.max(0, Math.min((now - from) / 1000, settings.duration));
  const ended = value('ended') === 1 ? 'target-died' : measured < settings.duration - 0.5 ? 'interrupted' : 'complete';

  const rows = workload.mix.map((part) => row(part, metrics, counts));
  const count = sumOf(rows, (r) => r.count);
  for (const r of rows) r.share = count === 0 ? 0 : r.count / count;
  const byKind = kindOrder.filter((kind) => rows.some((r) => r.kind === kind)).map((kind) => together(kind, rows.filter((r) => r.kind === kind), metrics[kindName(kind)]));
  const total = together('total', rows, metrics[allName]);
  // The transactions that k6 has dropped or cut off are in the total only, since their names are unknown.
  const interrupted = value('interrupted');
  total.dropped = settings.rate > 0 ? value('dropped_iterations', 'count') : 0;
  total.waiting += interrupted;
  total.due += interrupted + total.dropped;
  const answered = sumOf(rows, (r) => r.good + sumOf(Object.values(r.expected), (n) => n));
  const perSecond = (n) => (measured > 0 ? n / measured : 0);
  const cores = value('generator_cores') || 1;
  const intervals = Array.from({ length: intervalCount }, (_, i) => interval(i, metrics, noted(root.checks, i), measured, total)).filter((i) => i.to > i.from);

  const run = {
    format: 'brokerage-run/1',
    tool: { name: 'k6', version: __ENV.LOADTEST_K6 || 'unknown' },
    ...toolSettings(),
    target: { kind: 'http', engine: setup.dataset.store.engine, url: settings.baseURL, sameHost: isHere(settings.baseURL), version: setup.version },
    workload: {
      name: workload.name,
      sha256: setup.sha256,
      validate: workload.validate,
      mix: workload.mix.map(({ transaction, weight }) => ({ transaction, weight })),
      ...(settings.weights === '' ? {} : { weights: settings.weights }),
    },
    model: model(),
    started: new Date(from).toISOString(),
    rampSeconds: settings.ramp,
    durationSeconds: settings.duration,
    warmedSeconds: Math.max(0, (from - value('ramp_from', 'min', from)) / 1000),
    measuredSeconds: measured,
    seed: settings.seed,
    ended,
    dataset: stamp(setup.dataset),
    settings: setup.dataset.store.settings,
    faithful: setup.dataset.store.faithful,
    transactions: rows,
    kinds: byKind,
    total,
    prepared: {
      seconds: value('prepare_seconds', 'max'),
      orders: value('prepared_orders', 'count'),
      customers: value('prepared_customers', 'count'),
      unexpected: labelled(counts.prepared || {}, () => true),
    },
    tps: perSecond(answered),
    tpm: 60 * perSecond(answered),
    goodput: perSecond(total.good),
    intervals,
    perSecond: seconds.slice(0, Math.floor(measured)),
    usage: usage(value, measured, cores),
    machine: { ...machine(), cores },
  };
  if (settings.rate > 0) run.arrivals = { due: total.due, started: total.due - total.dropped, dropped: total.dropped, late: 0 };
  if (settings.steps.length > 0) run.curve = { steps: intervals.map((each, i) => step(each, i, dropped, cpu, cores)) };
  if (settings.part !== null) run.part = part(setup);
  run.validity = judge(run, { late: value('prepared_late', 'count'), templates: setup.profile, invalid: value('invalid', 'count') > 0 });
  return run;
}

// toolSettings are the environment variables of k6's own runtime that change its speed.
function toolSettings() {
  const given = ['GOGC', 'GOMEMLIMIT', 'GOMAXPROCS'].filter((name) => __ENV[name]).map((name) => [name, __ENV[name]]);
  return given.length === 0 ? {} : { toolSettings: Object.fromEntries(given) };
}

function model() {
  const { rate, users, think, every, consistency } = settings;
  return {
    kind: rate > 0 ? 'open' : 'closed',
    users,
    thinkSeconds: think.mean,
    everySeconds: every,
    ...(think.fixed ? {} : { think: think.text }),
    ...(consistency === '' ? {} : { consistency }),
    ...(rate > 0 ? { rate } : {}),
  };
}

// labelled returns the outcomes that are refusals and wanted, under the names of a result.
function labelled(counts, wanted, name = label) {
  const found = Object.entries(counts).filter(([reason]) => !ASIDE.includes(reason) && wanted(reason));
  return Object.fromEntries(found.map(([reason, n]) => [name(reason), n]));
}

// outcomes returns the refusals of a transaction, of all that it counts.
function outcomes(transaction, counts) {
  const { expected = [] } = transactions[transaction];
  const own = counts[transaction] || {};
  const refused = {
    expected: labelled(own, (reason) => expected.includes(reason), (reason) => reason),
    unexpected: labelled(own, (reason) => !expected.includes(reason)),
  };
  return { own, refused, all: sumOf([...Object.values(refused.expected), ...Object.values(refused.unexpected)], (n) => n) };
}

function row({ transaction, share }, metrics, counts) {
  const { own, refused, all } = outcomes(transaction, counts);
  const { [LATE]: late = 0, [LATE_UNANSWERED]: silent = 0, [CARRIED]: carried = 0, [EMPTY]: emptyPool = 0 } = own;
  const begun = metrics[countName(transaction)] ? metrics[countName(transaction)].values.count : 0;
  const count = begun + carried - late - silent;
  return {
    name: transaction,
    kind: transactions[transaction].kind,
    weight: share,
    share: 0,
    due: begun + carried,
    count,
    good: count - all,
    ...refused,
    unanswered: refused.unexpected[NO_ANSWER] || 0,
    waiting: late + silent,
    late,
    emptyPool,
    ...times(metrics[timesName(transaction)]),
  };
}

// times returns the times of a trend, with a histogram if it has the quantiles for one.
function times(trend) {
  const encoded = histogram(trend);
  return { latency: latency(trend), ...(encoded === null ? {} : { histogram: encoded }) };
}

// latency returns microseconds. k6 keeps every value, so its percentiles are exact.
function latency(trend) {
  if (!trend || !(trend.values.count > 0)) return { total: 0, min: 0, max: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0 };
  const v = trend.values;
  const us = (ms) => Math.round(ms * 1e6) / 1e3;
  return { total: us(v.avg * v.count), min: us(v.min), max: us(v.max), mean: us(v.avg), p50: us(v.med), p90: us(v['p(90)']), p95: us(v['p(95)']), p99: us(v['p(99)']), p999: us(v['p(99.9)']) };
}

// together adds rows; the percentiles of the sum come from k6.
function together(name, rows, trend) {
  const add = (field) => {
    const sum = {};
    for (const r of rows) {
      for (const [reason, n] of Object.entries(r[field])) sum[reason] = (sum[reason] || 0) + n;
    }
    return sum;
  };
  const sum = (field) => sumOf(rows, (r) => r[field]);
  return {
    name,
    ...(name === 'total' ? {} : { kind: name }),
    weight: Math.min(1, sum('weight')), // rounding adds up too
    share: Math.min(1, sum('share')),
    due: sum('due'),
    count: sum('count'),
    good: sum('good'),
    expected: add('expected'),
    unexpected: add('unexpected'),
    unanswered: sum('unanswered'),
    waiting: sum('waiting'),
    late: sum('late'),
    emptyPool: sum('emptyPool'),
    ...times(trend),
  };
}

// interval returns the statistics of an interval: of the transactions that were begun in it.
function interval(i, metrics, counts, measured, total) {
  const from = i * settings.every;
  const to = Math.min((i + 1) * settings.every, measured);
  const tps = (n) => (to > from ? n / (to - from) : 0);
  if (intervalCount === 1) return { from, to, count: total.count, good: total.good, tps: tps(total.count), latency: total.latency };
  const rows = workload.mix.map(({ transaction, share: weight }) => {
    const trend = metrics[intervalTimesName(i, transaction)];
    const { refused, all } = outcomes(transaction, counts);
    const count = trend ? trend.values.count || 0 : 0;
    return { name: transaction, kind: transactions[transaction].kind, weight, share: 0, due: count, count, good: Math.max(0, count - all), ...refused, ...(settings.part === null ? { latency: latency(trend) } : times(trend)) };
  });
  const count = sumOf(rows, (r) => r.count);
  for (const r of rows) r.share = count === 0 ? 0 : r.count / count;
  return { from, to, count, good: sumOf(rows, (r) => r.good), tps: tps(count), latency: latency(metrics[intervalName(i)]), rows };
}

// step returns a point of the curve of rate against latency.
function step({ from, to, tps, latency: taken, rows }, i, dropped, cpu, cores) {
  const seconds = to - from;
  const rate = settings.steps[i];
  const lost = sumOf(dropped.slice(Math.round(from), Math.round(to)), (n) => n);
  const unexpected = sumOf(rows, (r) => sumOf(Object.values(r.unexpected), (n) => n));
  const used = (cpu[i] || 0) - (i > 0 ? cpu[i - 1] || 0 : 0);
  const errors = Math.min(1, (lost + unexpected) / Math.max(1, (rate * seconds) / parts));
  return { rate, tps, seconds, latency: taken, errors, dropped: lost, generator: Math.max(0, used / seconds / cores) };
}

// part describes the part of the load that this k6 has issued.
function part({ startAt, seen = {} }) {
  const { of } = settings.part;
  const number = settings.part.number || Number(seen.instance) || 0; // of k6-operator
  const host = __ENV.LOADTEST_HOST || __ENV.HOSTNAME;
  return { number, of, users: seen.users || 0, ...(host ? { host } : {}), startAt: new Date(startAt).toISOString() };
}

function usage(value, measured, cores) {
  const of = (process) => {
    const cpuSeconds = value(`${process}_cpu`);
    const share = measured > 0 && cores > 0 ? cpuSeconds / measured / cores : 0;
    return { cpuSeconds, cpu: share, memoryBefore: value(`${process}_memory_before`), memoryAfter: value(`${process}_memory_after`) };
  };
  const service = of('service');
  if (!isHere(settings.baseURL)) service.cpu = 0; // the number of its cores is unknown
  return { generator: of('generator'), shared: false, ...(service.memoryAfter > 0 ? { service } : {}) };
}

function stamp({ fingerprint, scale, profile, seed, securities, customers, orders }) {
  return { fingerprint, scale, profile, seed, securities: securities.count, customers: customers.count, orders: orders.count };
}

function isHere(url) {
  return /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|\/|$)/.test(url);
}
