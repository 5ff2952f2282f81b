// The statistics table for a terminal, as brokerage drive prints it (internal/result/table.go): 94 characters wide;
// without the two columns that are needed least often, 80.

export function grouped(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

// ms returns microseconds as milliseconds in at most five characters, or as seconds from 100 s on.
export function ms(us) {
  const value = us / 1000;
  if (value < 9.9995) return value.toFixed(3);
  if (value < 99.995) return value.toFixed(2);
  if (value < 999.95) return value.toFixed(1);
  return value < 99999.5 ? value.toFixed(0) : `${(value / 1000).toFixed(0)}s`;
}

const rate = (perSecond) => (perSecond < 100 ? perSecond.toFixed(1) : grouped(perSecond));

const time = (head, narrow, key) => ({ above: head, head: 'ms', width: 5, narrow, of: (r) => ms(r.latency[key]) });

const columns = [
  { above: '', head: 'count', width: 10, narrow: true, of: (r) => grouped(r.count) },
  { above: 'share', head: '%', width: 5, narrow: true, of: (r) => (100 * r.share).toFixed(1) },
  { above: 'total', head: 's', width: 7, narrow: false, of: (r) => (r.latency.total / 1e6).toFixed(1) },
  time('min', false, 'min'),
  time('mean', true, 'mean'),
  time('p50', true, 'p50'),
  time('p90', true, 'p90'),
  time('p95', true, 'p95'),
  time('p99', true, 'p99'),
  time('p99.9', true, 'p999'),
  time('max', true, 'max'),
];

// heads and cells are the table of a page.
export const heads = ['transaction', ...columns.map((c) => (c.head === 'ms' ? c.above : [c.above, c.head].filter(Boolean).join(' ')))];
export const cells = (r) => [r.name, ...columns.map((c) => c.of(r))];

const nameWidth = 21;
const widthOf = (list) => list.reduce((sum, c) => sum + 1 + c.width, nameWidth);

// statistics returns the lines of the table for a terminal of a width in columns; 0 is no terminal.
function statistics(run, room) {
  const shown = room === 0 || room >= widthOf(columns) ? columns : columns.filter((c) => c.narrow);
  const line = (name, of) => name.padEnd(nameWidth) + shown.map((c) => ` ${of(c).padStart(c.width)}`).join('');
  const row = (r) => line(r.name, (c) => c.of(r));
  const rule = '-'.repeat(widthOf(shown));
  const top = [line('', (c) => c.above), line('transaction', (c) => c.head), rule];
  return [...top, ...run.transactions.map(row), rule, ...run.kinds.map(row), rule, row(run.total)];
}

// became returns what became of the transactions that were due: in total, and for each transaction of which some were
// not answered in time.
export function became({ transactions, total }) {
  const cellsOf = (r) => [r.name, r.due, r.good, r.count - r.good - r.unanswered, r.unanswered, r.dropped || 0, r.waiting].map((x, i) => (i === 0 ? x : grouped(x)));
  return [['became of', 'due', 'done', 'refused', 'unanswered', 'dropped', 'waiting'], ...[...transactions.filter((r) => r.unanswered + r.waiting > 0), total].map(cellsOf)];
}

const several = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
const listed = (counts) => Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([reason, n]) => `${reason} ${grouped(n)}`).join(', ');

// headline describes the run.
export function headline(run) {
  const { model, workload, target, dataset, prepared, curve } = run;
  const closed = model.thinkSeconds > 0 ? `think time ${model.think || `${model.thinkSeconds} s`}` : 'no think time';
  const how = curve ? `${curve.steps.length} steps of up to ${grouped(curve.steps[curve.steps.length - 1].rate)} arrivals a second, at most ${grouped(model.users)} at once` : model.kind === 'open' ? `${model.rate} arrivals a second, at most ${grouped(model.users)} at once` : `${grouped(model.users)} users, ${closed}`;
  const fresh = model.consistency === undefined ? '' : `, queries with consistency ${model.consistency}`;
  const refused = Object.keys(prepared.unexpected || {}).length > 0 ? `; unexpected: ${listed(prepared.unexpected)}` : '';
  return [
    `Workload ${workload.name} (${workload.validate ? 'validated' : 'not validated'}) on ${target.kind} ${target.url}`,
    `${how}${fresh}; ${run.measuredSeconds.toFixed(1)} s measured after ${run.warmedSeconds.toFixed(1)} s of warm-up; seed ${run.seed}`,
    `Dataset ${dataset.fingerprint}`,
    `Prepared, and not counted: ${grouped(prepared.orders)} orders, ${grouped(prepared.customers)} customers${refused}`,
  ];
}

export function verdict({ validity }) {
  if (validity.reasons.length > 0) return 'INVALID';
  return validity.smoke ? 'SMOKE: too short to be quoted' : 'valid';
}

export function rates(run) {
  return `${rate(run.tps)} transactions a second, ${rate(run.tpm)} a minute; goodput ${rate(run.goodput)} a second`;
}

// refusals returns the refusals by transaction and reason.
export function refusals(run, which) {
  return run.transactions.flatMap((r) => Object.entries(r[which]).map(([reason, n]) => ({ name: r.name, reason, n })));
}

export function usageText({ toolSettings, usage, machine, total }) {
  const share = (p) => (p.cpu > 0 ? ` (${Math.round(100 * p.cpu)} % of ${several(machine.cores, 'core')})` : '');
  const of = (name, p) => `${name} ${p.cpuSeconds.toFixed(1)} s of processor time${share(p)}, ${grouped(p.memoryAfter / 2 ** 20)} MiB`;
  const service = usage.service ? usage.service.cpuSeconds : 0;
  const together = usage.generator.cpuSeconds + service;
  const set = Object.entries(toolSettings || {}).map(([name, value]) => `${name}=${value}`);
  const k6 = ['k6', ...(set.length > 0 ? [`(${set.join(' ')})`] : [])].join(' ');
  return (usage.generator.cpuSeconds > 0 ? [of(k6, usage.generator)] : [])
    .concat(service > 0 ? [of('the service', usage.service)] : [])
    .concat(together > 0 && total.count > 0 ? [`together ${Math.round((1e6 * together) / total.count)} µs of processor time each`] : []);
}

const sumWidths = [10, 10, 8, 10, 8, 7];
const sums = (run) => became(run).map(([name, ...rest]) => name.padEnd(nameWidth) + rest.map((text, i) => ` ${text.padStart(sumWidths[i])}`).join(''));

// curve returns the rows of the curve of rate against latency, with their head.
export function curve({ curve: { steps } }) {
  const rows = steps.map((s) => [grouped(s.rate), rate(s.tps), ms(s.latency.p50), ms(s.latency.p95), ms(s.latency.p99), ms(s.latency.max), `${(100 * s.errors).toFixed(2)} %`, grouped(s.dropped), `${Math.round(100 * s.generator)} %`]);
  return [['arrivals/s', 'tps', 'p50', 'p95', 'p99', 'max', 'errors', 'dropped', 'k6'], ...rows];
}

export function table(run) {
  const room = Number(__ENV.LOADTEST_COLUMNS) || 0; // set by loadtest/k6
  const out = ['', ...headline(run), '', ...statistics(run, room), '', rates(run), '', ...sums(run)];
  if (run.total.late > 0) out.push(`Waiting at the end and answered within 10 s of it: ${grouped(run.total.late)}; their times count.`);
  out.push('');
  if (run.curve) out.push(...curve(run).map((row) => row.map((text) => text.padStart(10)).join('')), '');
  for (const [which, title] of [['expected', 'Expected refusals'], ['unexpected', 'UNEXPECTED']]) {
    for (const r of run.transactions) {
      if (Object.keys(r[which]).length > 0) out.push(`${title} of ${r.name}: ${listed(r[which])}`);
    }
  }
  const empty = run.transactions.filter((r) => r.emptyPool > 0);
  if (empty.length > 0) out.push(`Drawn again, with nothing of the user's own to delete: ${empty.map((r) => `${r.name} ${grouped(r.emptyPool)}`).join(', ')}`);
  out.push(...usageText(run), '', verdict(run), ...run.validity.reasons.map((reason) => `INVALID: ${reason}`), ...run.validity.notes.map((note) => `Note: ${note}`));
  return `${out.join('\n')}\n`;
}
