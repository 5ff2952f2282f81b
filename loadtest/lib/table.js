// The statistics table for a terminal.

const heads = ['transaction', 'count', 'share', 'total s', 'min', 'avg', 'max', 'p90', 'p95', 'p99'];

export function grouped(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

// ms writes microseconds as milliseconds, with what a reader can use of it.
export function ms(us) {
  const value = us / 1000;
  return value < 10 ? value.toFixed(2) : value < 1000 ? value.toFixed(1) : grouped(value);
}

export function cells({ name, count, share, latency: l }) {
  return [name, grouped(count), `${(100 * share).toFixed(2)} %`, (l.total / 1e6).toFixed(1), ...[l.min, l.mean, l.max, l.p90, l.p95, l.p99].map(ms)];
}

// became gives lines that say what became of every transaction that was due: of
// those of which some were not answered in time, and of all.
export function became({ transactions, total }) {
  const cellsOf = (r) => [r.name, r.due, r.good, r.count - r.good - r.unanswered, r.unanswered, r.dropped || 0, r.waiting].map((x, i) => (i === 0 ? x : grouped(x)));
  return [['became of', 'due', 'done', 'refused', 'unanswered', 'dropped', 'still waiting'], ...[...transactions.filter((r) => r.unanswered + r.waiting > 0), total].map(cellsOf)];
}

const several = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

// headline says in a few words what was run.
export function headline(run) {
  const { model, workload, target, dataset } = run;
  const how = model.kind === 'open' ? `${grouped(model.rate)} a second, at most ${several(model.users, 'user')}` : `${several(model.users, 'user')}, think time ${model.thinkSeconds} s`;
  return [
    `${workload.name} against ${target.url} by k6: ${how}`,
    `dataset ${dataset.fingerprint}; ${run.warmedSeconds.toFixed(1)} s warmed up, ${run.measuredSeconds.toFixed(1)} s measured, seed ${run.seed}`,
  ];
}

export function verdict({ validity }) {
  if (validity.reasons.length > 0) return 'INVALID';
  return validity.smoke ? 'SMOKE: too short to be quoted' : 'valid';
}

export function rates(run) {
  return `${run.tps.toFixed(1)} tps, ${grouped(run.tpm)} tpm; goodput ${run.goodput.toFixed(1)} a second`;
}

// refusals lists them by transaction and reason.
export function refusals(run, which) {
  return run.transactions.flatMap((r) => Object.entries(r[which]).map(([reason, n]) => ({ name: r.name, reason, n })));
}

export function usageText({ usage, machine, total }) {
  const share = (p) => (p.cpu > 0 ? ` (${Math.round(100 * p.cpu)} % of ${several(machine.cores, 'core')})` : '');
  const of = (name, p) => `${name} ${p.cpuSeconds.toFixed(1)} s of processor time${share(p)}, ${grouped(p.memoryAfter / 2 ** 20)} MiB`;
  const service = usage.service ? usage.service.cpuSeconds : 0;
  const together = usage.generator.cpuSeconds + service;
  return (usage.generator.cpuSeconds > 0 ? [of('k6', usage.generator)] : [])
    .concat(service > 0 ? [of('the service', usage.service)] : [])
    .concat(together > 0 && total.count > 0 ? [`together ${Math.round((1e6 * together) / total.count)} µs of processor time each`] : []);
}

const aligned = (rows) => {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((r) => r[c].length)));
  return rows.map((r) => r.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  '));
};

export function table(run) {
  const rows = [heads, ...run.transactions.map(cells), null, ...run.kinds.map(cells), null, cells(run.total)];
  const widths = heads.map((_, c) => Math.max(...rows.map((r) => (r === null ? 0 : r[c].length))));
  const rule = '-'.repeat(widths.reduce((a, b) => a + b + 2, -2));
  const lines = rows.map((r) => (r === null ? rule : r.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  ')));
  lines.splice(1, 0, rule);

  const out = ['', ...headline(run), 'times in ms', '', ...lines, '', rates(run), '', ...aligned(became(run)), '', ...usageText(run)];
  if (run.prepared.orders + run.prepared.customers > 0) {
    out.push(`before that, users inserted ${several(run.prepared.orders, 'order')} and ${several(run.prepared.customers, 'customer')} of their own`);
  }
  for (const [which, title] of [['expected', 'expected refusals'], ['unexpected', 'UNEXPECTED refusals']]) {
    const found = refusals(run, which);
    if (found.length > 0) out.push(`${title}: ${found.map(({ name, reason, n }) => `${name} ${reason} ${grouped(n)}`).join(', ')}`);
  }
  if (run.total.emptyPool > 0) out.push(`drawn again, with nothing of one's own to take away: ${grouped(run.total.emptyPool)}`);
  out.push(verdict(run), ...run.validity.reasons.map((reason) => `  ${reason}`), ...run.validity.notes.map((note) => `note: ${note}`));
  return `${out.join('\n')}\n`;
}
