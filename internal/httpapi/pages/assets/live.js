// The figures: reads the stream of GET /v1/live and shows them each second.
'use strict';

const token = () => $('#token').value.trim();
const service = (path) => new URL(path, new URL('.', location.href));

// authorized returns the headers of a request, with the token if there is one.
const authorized = (accept) => ({ Accept: accept, ...(token() && { Authorization: `Bearer ${token()}` }) });

// --- charts of the last minute: a line and the area below it, without axes ---

const points = 60; // of a chart, one a second
const chartWidth = 120;
const chartHeight = 30;

function svg(name, attributes) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

// chart adds an empty chart to an element, and returns the function that draws values in it, the newest on the right.
// An unknown value (null) is left out.
function chart(into) {
  const area = svg('path', { class: 'area' });
  const line = svg('path', { class: 'line', 'vector-effect': 'non-scaling-stroke' });
  const image = svg('svg', { viewBox: `0 0 ${chartWidth} ${chartHeight}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  image.append(area, line);
  into.append(image);
  return (values) => {
    const most = Math.max(...values, 1e-9);
    const known = values.map((v, i) => [((points - values.length + i) / (points - 1)) * chartWidth, v]).filter(([, v]) => v !== null);
    const outline = known.map(([x, v]) => `${x.toFixed(1)} ${(chartHeight - 1.5 - (v / most) * (chartHeight - 4)).toFixed(1)}`).join('L');
    line.setAttribute('d', known.length ? `M${outline}` : '');
    area.setAttribute('d', known.length ? `M${known[0][0]} ${chartHeight}L${outline}L${known.at(-1)[0]} ${chartHeight}Z` : '');
  };
}

// --- showing figures ---

const whole = new Intl.NumberFormat('en');
const count = (n) => (n < 10 ? String(Math.round(n * 10) / 10) : whole.format(Math.round(n)));
const time = (ms) => (ms >= 1000 ? `${(ms / 1000).toPrecision(3)} s` : `${ms} ms`);

const sum = (e) => e.ok + e.refused + e.failed;
const rateOf = (f) => (e) => (e ? sum(e) / f.seconds : 0);

const past = new Map(); // by the name of a chart or transaction
const draw = new Map();
for (const place of $$('[data-chart]')) draw.set(place.dataset.chart, chart(place));
for (const row of $$('tr[data-name]')) draw.set(row.dataset.name, chart($('.chart', row)));

function remember(name, value) {
  const values = past.get(name) ?? [];
  values.push(value);
  if (values.length > points) values.shift();
  past.set(name, values);
}

// With reduced motion the charts change every five seconds only.
const calm = matchMedia('(prefers-reduced-motion: reduce)');
let seconds = 0;

function drawAll() {
  if (calm.matches && seconds++ % 5) return;
  for (const [name, values] of past) draw.get(name)?.(values);
}

let before; // the previous figures, because a store counts since it was opened

function showStore(f) {
  const s = f.store;
  if (!s) return;
  const commits = before?.store ? (s.commits - before.store.commits) / f.seconds : 0;
  const writes = s.commits > 0 || s.writes > 0;
  $('#store-title').textContent = writes ? 'Commits a second' : 'Connections in use';
  $('#commits').textContent = count(writes ? commits : s.in_use);
  const asked = s.hits + s.misses;
  $('#store-note').textContent = [
    `${s.in_use} of ${s.connections} connections`, writes && `${s.writes} writes waiting`,
    asked > 0 && `${Math.round((100 * s.hits) / asked)} % cache hits`,
  ].filter(Boolean).join(', ');
  remember('commits', writes ? commits : s.in_use);
}

function showTransactions(f) {
  const rate = rateOf(f);
  for (const row of $$('tr[data-name]')) {
    const e = f.transactions[row.dataset.name];
    const cells = $$('td', row);
    const texts = [count(rate(e)), ...['p50', 'p95', 'p99'].map((p) => e?.times?.[p] ?? '–'),
      count((e?.refused ?? 0) / f.seconds), count((e?.failed ?? 0) / f.seconds)];
    texts.forEach((text, i) => { cells[i + 1].textContent = text; });
    row.classList.toggle('quiet', !e);
    row.classList.toggle('bad', Boolean(e?.failed));
    remember(row.dataset.name, rate(e));
  }
}

function showFigures(f) {
  const all = f.all;
  const rate = rateOf(f)(all);
  const bad = (all.refused + all.failed) / f.seconds;
  $('#rate').textContent = count(rate);
  $('#p95').textContent = all.times ? time(all.times.p95) : '–';
  $('#p95-note').textContent = all.times ? `50 %: ${all.times.p50}, 99 %: ${all.times.p99} ms` : 'no successful request in the last five seconds';
  $('#bad').textContent = count(bad);
  const why = Object.entries(f.refused).map(([reason, n]) => `${n} ${reason.replaceAll('_', ' ')}`);
  $('#bad-note').textContent = bad > 0 ? [`${all.refused} refused`, `${all.failed} failed`, ...why].join(', ') : 'none';
  $('#bad').parentElement.classList.toggle('bad', all.failed > 0);
  const { running, waiting, limit } = f.gate;
  $('#running').textContent = limit ? count(running) : '–';
  $('#running-note').textContent = limit ? `of at most ${limit}, ${waiting} waiting` : 'no limit, so not counted';
  remember('rate', rate);
  remember('p95', all.times?.p95 ?? null);
  remember('bad', bad);
  remember('running', running);
  showStore(f);
  showTransactions(f);
  drawAll();
  before = f;
}

// --- the stream ---

const state = $('#state');
function say(text, kind) {
  if (state.textContent !== text) state.textContent = text; // announced once, and not each second
  state.className = kind;
}

const refusals = {
  401: 'A token is needed', 403: 'The token lacks the scope read', 429: 'Too many requests: trying again',
  503: 'Too many watchers, or the service is stopping: trying again',
};

// events yields the data of each event of a stream. EventSource can neither send a token nor report a status.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = '';;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split('\n\n');
    text = parts.pop();
    for (const part of parts) {
      const data = part.match(/^data: (.*)$/m);
      if (data) yield JSON.parse(data[1]);
    }
  }
}

let watching = new AbortController();
let paused = false;
const again = 2000;

// watch reads the stream until it ends, and then again, unless the user has to act first.
async function watch() {
  watching.abort();
  const mine = watching = new AbortController();
  if (paused || document.hidden) return;
  let retry = true;
  try {
    const answer = await fetch(service('v1/live'), { headers: authorized('text/event-stream'), cache: 'no-store', signal: mine.signal });
    $('#token-note').hidden = answer.status !== 401 && answer.status !== 403;
    if (answer.ok) {
      before = undefined;
      say('Live', 'good');
      describe();
      for await (const f of events(answer.body)) showFigures(f);
      say('The stream has ended: connecting again', 'off');
    } else {
      say(refusals[answer.status] ?? `No figures: the service answers ${answer.status}`, 'off');
      retry = answer.status === 429 || answer.status >= 500;
    }
  } catch {
    if (mine.signal.aborted) return;
    say('The service does not answer: trying again', 'off');
  }
  if (retry) setTimeout(() => { if (!mine.signal.aborted) watch(); }, again);
}

$('#pause').addEventListener('click', () => {
  paused = !paused;
  $('#pause').setAttribute('aria-pressed', paused);
  if (paused) say('Paused', 'off');
  watch();
});
document.addEventListener('visibilitychange', watch); // a hidden page does not watch
$('#token').addEventListener('change', watch);

// --- what is served ---

async function describe() {
  const answer = await fetch(service('v1/dataset'), { headers: authorized('application/xml'), cache: 'no-store' }).catch(() => null);
  if (!answer?.ok) return;
  const xml = new DOMParser().parseFromString(await answer.text(), 'application/xml').documentElement;
  const all = (name) => [...xml.getElementsByTagName(name)];
  const store = all('Store')[0];
  const number = (name) => whole.format(all(name)[0].getAttribute('count'));
  const rows = [
    ['Engine', `${store.getAttribute('engine')} ${store.getAttribute('version')}`], ['Durability', store.getAttribute('durability')],
    ['Dataset', xml.getAttribute('fingerprint')],
    ['Generated', `${number('Securities')} securities, ${number('Customers')} customers, ${number('Orders')} orders`],
    ...all('Setting').map((s) => [s.getAttribute('name'), s.getAttribute('value')]),
  ];
  $('#served').replaceChildren(...rows.map(([name, value]) => element('div', '', element('dt', '', name), element('dd', '', value))));
  $('#served-note').hidden = true;
}

// --- light and dark ---

const dark = matchMedia('(prefers-color-scheme: dark)');
const theme = $('#theme');
function paint(choice) {
  if (choice) document.documentElement.dataset.theme = choice;
  theme.setAttribute('aria-pressed', (choice ?? (dark.matches ? 'dark' : 'light')) === 'dark');
}
theme.addEventListener('click', () => {
  const choice = theme.getAttribute('aria-pressed') === 'true' ? 'light' : 'dark';
  localStorage.setItem('theme', choice);
  paint(choice);
});
dark.addEventListener('change', () => paint(localStorage.getItem('theme') ?? undefined));
paint(localStorage.getItem('theme') ?? undefined);

watch();
