// The result as an HTML page without scripts and external files, which also prints well. `brokerage report` writes a
// larger one.
import { became, cells, curve, grouped, headline, heads, ms, rates, refusals, usageText, verdict } from './table.js';

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (s) => String(s).replace(/[&<>"]/g, (c) => entities[c]);

const style = `
:root { color-scheme: light dark; --line: #8886; --dim: #667; --bad: #b00020; --bar: #3b6ea5 }
@media (prefers-color-scheme: dark) { :root { --dim: #9ab; --bad: #ff7a85; --bar: #7fb0e6 } }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; white-space: nowrap }
th:first-child, td:first-child { text-align: left } td.reason { white-space: normal } thead th { border-bottom-width: 2px }
tbody.sum tr:first-child td { border-top: 2px solid var(--line) } tr.all td { font-weight: 600 }
.dim { color: var(--dim) } .rates { font-size: 1.25rem; margin: 1rem 0 .25rem } .verdict { font-weight: 700 }
.invalid { color: var(--bad); font-size: 2.6rem; font-weight: 800; letter-spacing: .06em; margin: .5rem 0 0 }
svg { width: 100%; height: 9rem; display: block } rect { fill: var(--bar) }
@media print { body { margin: 0; max-width: none; font-size: 9pt } .wide { overflow: visible } tr { break-inside: avoid } }
`;

const tableOf = (head, bodies) => `<div class="wide"><table><thead><tr>${head.map((h) => `<th scope="col">${text(h)}</th>`).join('')}</tr></thead>${bodies.join('')}</table></div>`;
const tr = (list, name = '') => `<tr${name && ` class="${name}"`}>${list.map((c) => `<td>${text(c)}</td>`).join('')}</tr>`;
const list = (items) => (items.length === 0 ? '' : `<ul>${items.map((i) => `<li>${text(i)}</li>`).join('')}</ul>`);

// bars returns a chart of the transactions of each second, which shows whether the run was steady. The bars of long runs
// are means of several seconds.
function bars(perSecond) {
  const by = Math.ceil(perSecond.length / 300);
  const shown = Array.from({ length: Math.floor(perSecond.length / by) }, (_, i) => perSecond.slice(i * by, (i + 1) * by).reduce((sum, n) => sum + n, 0) / by);
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  if (shown.length < 2 || most === 0) return '';
  const each = shown.map((n, i) => `<rect x="${i + 0.06}" y="${(100 - (100 * n) / most).toFixed(2)}" width="0.88" height="${((100 * n) / most).toFixed(2)}"/>`);
  return (
    `<h2>Transactions a second</h2><svg viewBox="0 0 ${shown.length} 100" preserveAspectRatio="none" role="img" ` +
    `aria-label="from ${grouped(least)} to ${grouped(most)}">${each.join('')}</svg><p class="dim">from ${grouped(least)} to ${grouped(most)}, over ${perSecond.length} s</p>`
  );
}

function refusalTable(run) {
  const rows = ['expected', 'unexpected'].flatMap((which) => refusals(run, which).map(({ name, reason, n }) => `<tr><td>${text(name)}</td><td>${which}</td><td>${text(reason)}</td><td>${grouped(n)}</td></tr>`));
  if (rows.length === 0) return '<p>There were none.</p>';
  return tableOf(['transaction', '', 'reason', 'count'], [`<tbody>${rows.join('')}</tbody>`]);
}

function intervalTable({ intervals }) {
  if (intervals.length < 2) return '';
  const rows = intervals.map((i) => tr([`${i.from.toFixed(0)}–${i.to.toFixed(0)} s`, grouped(i.count), i.tps.toFixed(1), ...[i.latency.mean, i.latency.p50, i.latency.p90, i.latency.p95, i.latency.p99, i.latency.p999, i.latency.max].map(ms)]));
  return `<h2>During the run</h2>${tableOf(['time', 'count', 'tps', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'], [`<tbody>${rows.join('')}</tbody>`])}`;
}

// intervalsByTransaction returns throughput and times of each transaction in each interval.
function intervalsByTransaction({ intervals, transactions }) {
  if (intervals.length < 2) return '';
  const rows = transactions.flatMap(({ name }, i) =>
    intervals.map(({ from, to, rows: all }) => {
      const { count, latency } = all[i];
      return tr([name, `${from.toFixed(0)}–${to.toFixed(0)} s`, grouped(count), (count / (to - from)).toFixed(1), ...[latency.p50, latency.p95, latency.p99, latency.max].map(ms)]);
    }),
  );
  return `<details><summary>By transaction</summary>${tableOf(['transaction', 'time', 'count', 'tps', 'p50', 'p95', 'p99', 'max'], [`<tbody>${rows.join('')}</tbody>`])}</details>`;
}

function curveTable(run) {
  if (!run.curve) return '';
  const [head, ...rows] = curve(run);
  return `<h2>Rate against latency</h2>${tableOf(head, [`<tbody>${rows.map((r) => tr(r)).join('')}</tbody>`])}`;
}

function prepared({ prepared: p }) {
  return p.orders + p.customers === 0 ? [] : [`Before measuring, users inserted ${grouped(p.orders)} orders and ${grouped(p.customers)} customers of their own to delete.`];
}

export function page(run) {
  const [what, ...where] = headline(run);
  const invalid = run.validity.reasons.length > 0;
  const m = run.machine;
  const sums = became(run);
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(run.workload.name)}: ${run.tps.toFixed(0)} tps by k6</title><style>${style}</style></head><body>
<h1>${text(what)}</h1><p class="dim">${text(where.join('; '))}; ${text(run.started)}</p>
<p class="${invalid ? 'invalid' : 'verdict'}">${text(verdict(run))}</p>${list(run.validity.reasons)}
<p class="rates">${text(rates(run))}</p>${list([...usageText(run), ...prepared(run), ...run.validity.notes])}
<h2>Transactions <span class="dim">(times in ms)</span></h2>
${tableOf(heads, [
    `<tbody>${run.transactions.map((r) => tr(cells(r))).join('')}</tbody>`,
    `<tbody class="sum">${run.kinds.map((r) => tr(cells(r))).join('')}</tbody>`,
    `<tbody class="sum">${tr(cells(run.total), 'all')}</tbody>`,
  ])}
${curveTable(run)}${intervalTable(run)}${intervalsByTransaction(run)}${bars(run.perSecond)}
<h2>What became of them</h2>${tableOf(sums[0], [`<tbody>${sums.slice(1).map((r) => tr(r)).join('')}</tbody>`])}
<h2>Refusals</h2>${refusalTable(run)}
<p class="dim">${text(`Load generator: ${[m.cpu, `${m.cores} cores`, m.memory > 0 ? `${grouped(m.memory / 2 ** 20)} MiB` : '', m.os, m.arch].filter((s) => s !== '').join(', ')}. Workload file SHA-256 ${run.workload.sha256}.`)}</p>
</body></html>
`;
}
