// The result of a run in the form "brokerage-run/1", as brokerage drive has it (internal/workload/result.go).
import { allName, countName, counted, intervalCount, intervalName, kindName, preparedRefusedName, refusedName, sliceCount, sliceName, sliceSeconds, timesName, twoRequests } from './metrics.js';
import { CARRIED, LATE, LATE_UNANSWERED, NO_ANSWER, label, reasons } from './reasons.js';
import { transactions } from './registry.js';
import { settings } from './settings.js';
import { workload } from './workload.js';
import { judge } from './validity.js';

const kindOrder = ['query', 'update', 'insert', 'delete'];
const sumOf = (list, of) => list.reduce((sum, x) => sum + of(x), 0);

// result returns null for a run that ended before any load.
export function result({ metrics, setup_data: setup }) {
  if (!setup || metrics === undefined) return null;
  const value = (name, of = 'value', byDefault = 0) => (metrics[name] ? metrics[name].values[of] : byDefault);

  const now = Date.now();
  const from = value('measured_from', 'min', now);
  const measured = Math.max(0, Math.min((now - from) / 1000, settings.duration));
  const ended = value('ended') === 1 ? 'target-died' : measured < settings.duration - 0.5 ? 'interrupted' : 'complete';

  const rows = workload.mix.map(({ transaction, share }) => row(metrics, transaction, share));
  const count = sumOf(rows, (r) => r.count);
  for (const r of rows) r.share = count === 0 ? 0 : r.count / count;
  const byKind = kindOrder.filter((kind) => rows.some((r) => r.kind === kind)).map((kind) => together(kind, rows.filter((r) => r.kind === kind), latency(metrics[kindName(kind)])));
  const total = together('total', rows, latency(metrics[allName]));
  // The transactions that k6 has dropped or cut off are in the total only, since their names are unknown.
  const interrupted = value('interrupted');
  total.dropped = settings.rate > 0 ? value('dropped_iterations', 'count') : 0;
  total.waiting += interrupted;
  total.due += interrupted + total.dropped;
  const answered = sumOf(rows, (r) => r.good + sumOf(Object.values(r.expected || {}), (n) => n));
  const perSecond = (n) => (measured > 0 ? n / measured : 0);
  const cores = value('generator_cores') || setup.machine.cores;
  const slices = Array.from({ length: sliceCount }, (_, i) => value(sliceName(i), 'count'));

  const run = {
    format: 'brokerage-run/1',
    tool: { name: 'k6', version: __ENV.LOADTEST_K6 || 'unknown' },
    target: { kind: 'http', engine: setup.dataset.store.engine, url: settings.baseURL, sameHost: isHere(settings.baseURL), version: setup.version },
    workload: { name: workload.name, sha256: setup.sha256, validate: workload.validate, mix: workload.mix.map(({ transaction, weight }) => ({ transaction, weight })) },
    model: { kind: settings.rate > 0 ? 'open' : 'closed', users: settings.users, thinkSeconds: settings.think, everySeconds: settings.every, ...(settings.consistency === '' ? {} : { consistency: settings.consistency }) },
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
      unexpected: counted(metrics, preparedRefusedName, reasons),
    },
    tps: perSecond(answered),
    tpm: 60 * perSecond(answered),
    goodput: perSecond(total.good),
    intervals: Array.from({ length: intervalCount }, (_, i) => interval(i, metrics, measured, total)).filter((i) => i.to > i.from),
    perSecond: sliceSeconds === 1 ? slices.slice(0, Math.floor(measured)) : [],
    usage: usage(value, measured, cores),
    machine: { ...setup.machine, cores },
  };
  if (settings.rate > 0) {
    run.model.rate = settings.rate;
    run.arrivals = { due: total.due, started: total.due - total.dropped, dropped: total.dropped, late: 0 };
  }
  run.validity = judge(run, { slices, sliceSeconds, late: value('prepared_late', 'count'), templates: setup.profile, invalid: value('invalid', 'count') > 0 });
  return run;
}

function row(metrics, transaction, weight) {
  const times = metrics[timesName(transaction)];
  const { kind, expected: surely = [] } = transactions[transaction];
  const name = (reason) => refusedName(transaction, reason);
  const refused = {
    expected: counted(metrics, name, surely, (reason) => reason),
    unexpected: counted(metrics, name, reasons.filter((reason) => !surely.includes(reason)), label),
  };
  const { [LATE]: late = 0, [LATE_UNANSWERED]: silent = 0, [CARRIED]: carried = 0 } = counted(metrics, name, [LATE, LATE_UNANSWERED, CARRIED]);
  const begun = metrics[countName(transaction)] ? metrics[countName(transaction)].values.count : 0;
  const count = begun + carried - late - silent;
  const allRefused = sumOf([...Object.values(refused.expected), ...Object.values(refused.unexpected)], (n) => n);
  return {
    name: transaction,
    kind,
    weight,
    share: 0,
    due: begun + carried,
    count,
    good: count - allRefused,
    ...refused,
    unanswered: refused.unexpected[NO_ANSWER] || 0,
    waiting: late + silent,
    late,
    emptyPool: metrics[`${transaction}_empty_pool`] ? metrics[`${transaction}_empty_pool`].values.count : 0,
    latency: latency(times),
  };
}

// latency returns microseconds. k6 keeps every value, so its percentiles are exact.
function latency(trend) {
  if (!trend || !(trend.values.count > 0)) return { total: 0, min: 0, max: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0 };
  const v = trend.values;
  const us = (ms) => Math.round(ms * 1e6) / 1e3;
  return { total: us(v.avg * v.count), min: us(v.min), max: us(v.max), mean: us(v.avg), p50: us(v.med), p90: us(v['p(90)']), p95: us(v['p(95)']), p99: us(v['p(99)']), p999: us(v['p(99.9)']) };
}

// together adds rows; the percentiles of the sum come from k6.
function together(name, rows, latency) {
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
    latency,
  };
}

function interval(i, metrics, measured, total) {
  const times = metrics[intervalName(i)];
  const refused = metrics[`${intervalName(i)}_refused`];
  const from = i * settings.every;
  const to = Math.min((i + 1) * settings.every, measured);
  const count = intervalCount === 1 ? total.count : times ? times.values.count : 0;
  const good = intervalCount === 1 ? total.good : count - (refused ? refused.values.count : 0);
  return { from, to, count, good, tps: to > from ? count / (to - from) : 0, latency: intervalCount === 1 ? total.latency : latency(times) };
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
