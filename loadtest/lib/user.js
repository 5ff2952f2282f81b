// One user: it draws transactions, makes their requests, and counts how each ended. Users of k6 share nothing. The
// transactions themselves are in loadtest/transactions, a file for each.
import http from 'k6/http';
import exec from 'k6/execution';
import { check, sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';
import { make } from '../transactions/index.js';
import { chooser, drawer, makeRandom } from './random.js';
import { transactions } from './registry.js';
import { headers, idsOf, lookup } from './service.js';
import { settings } from './settings.js';
import { shelf } from './templates.js';
import { workload } from './workload.js';

// A transaction is a request, or two where one reads a document and writes it back. Its tags say which and how it ended;
// `brokerage report` reads them.
const duration = new Trend('transaction_duration', true);
const drawnAgain = new Counter('drawn_again'); // there was nothing of the user's own to delete

// The content of one answer in sixteen is checked: to pass a document of some kilobytes to a script costs k6 as much as
// everything else about a query.
const lookEvery = 16;

const mostSilent = 10; // requests of a user in a row without an answer, after which the service counts as dead
const ok = { min: 200, max: 299 };
http.setResponseCallback(http.expectedStatuses(ok));

// A transaction returns nothing if its user has nothing of its own to remove; another one is drawn then.
const nothing = Symbol('nothing');

// What a transaction uses are variables of makeUser, since k6's engine finds those by position, and imports and properties
// by name.
export function makeUser({ known, leases }) {
  const { request } = http;
  const { baseURL } = settings;
  const withTokens = settings.consistency === 'token';
  const index = exec.vu.idInTest - 1;
  const random = makeRandom(settings.seed, index);
  const { below, between, next } = random;
  const { dataset } = known;
  const { accountOf, heldBy, symbolAt } = lookup(known, random);
  const drawerOf = (kind, { count }) => drawer(workload.draws[kind], count, random);
  const drawOrder = drawerOf('order', dataset.orders);
  const drawCustomer = drawerOf('customer', dataset.customers);
  const drawSecurity = drawerOf('security', dataset.securities);
  const shelves = { order: shelf('order', random), customer: shelf('customer', random), account: shelf('account', random) };
  const anyKey = dataset.fingerprint.startsWith('null/'); // a store that answers everything with the same documents

  // Of the transaction in progress:
  let elapsed = 0; // ms so far
  let failure = null; // how it ended, if not well
  let looking = true; // whether its answer is checked
  let token = ''; // of the last write, for CONSISTENCY=token
  let silent = 0;

  // tools are what all transactions share.
  const tools = {
    below, next, heldBy, nothing,
    drawFrom: ([from, to]) => between(from, to),
    order: () => dataset.orders.first + drawOrder(),
    customer: () => dataset.customers.first + drawCustomer(),
    symbol: () => symbolAt(drawSecurity()),
    someAccount: () => accountOf(drawCustomer()),
    search: known.search, trades: workload.trades, updates: workload.updates,
    document: (kind, slots) => shelves[kind](slots),
    ids: idsOf(leases, index),
    now: () => new Date().toISOString().slice(0, 19),
    unvalidated: workload.validate ? '' : '?validate=no',
    // pools are the ids that this user has inserted; takeOut removes a random one.
    pools: { orders: [], customers: [], accounts: [] },
    takeOut(pool) {
      const i = below(pool.length);
      const last = pool.pop();
      return i < pool.length ? pool.splice(i, 1, last)[0] : last;
    },
  };

  // requestsOf returns the functions that make the requests of a transaction. Each returns the response, or null if it is
  // not the right one.
  function requestsOf(name, { kind, expected = [], statuses = [] }) {
    const query = kind === 'query';
    const sent = { ...headers };
    if (query && settings.consistency.startsWith('stale=')) sent['Max-Staleness'] = settings.consistency.slice('stale='.length);
    const params = { tags: { name, kind }, timeout: 30000 };
    if (statuses.length > 0) params.responseCallback = http.expectedStatuses(ok, ...statuses);
    if (Object.keys(sent).length > 0) params.headers = sent;
    const text = { ...params, responseType: 'text' };
    const withBody = { ...text, headers: { ...sent, 'Content-Type': 'application/xml' } };

    function fail(res) {
      const type = (/urn:brokerage:problem:([a-z-]+)/.exec(res.body || '') || [])[1] || (res.status === 404 ? 'not-found' : '');
      if (res.status === 0) failure = { outcome: 'unanswered', reason: res.error_code === 1050 ? 'timeout' : 'no-answer' };
      else if (expected.includes(type)) failure = { outcome: 'expected', reason: type };
      else failure = { outcome: 'unexpected', reason: `${res.status} ${type}`.trim() };
      if (res.status !== 0) return null;
      if (++silent >= mostSilent) exec.test.abort(`the service at ${baseURL} no longer answers`);
      sleep(0.2);
      return null;
    }

    function send(method, path, body, params, status, right) {
      let p = params;
      if (query && token !== '') p = { ...p, headers: { ...p.headers, 'Consistency-Token': token } };
      const res = request(method, baseURL + path, body, p);
      elapsed += res.timings.duration;
      if (res.status !== status) return fail(res);
      silent = 0;
      if (withTokens && !query) token = res.headers['Consistency-Token'] || token;
      if (looking && right !== null && !check(res, { 'the answer is correct': right }, { name })) {
        failure = { outcome: 'unexpected', reason: 'wrong-answer' };
        return null;
      }
      return res;
    }

    // An element that a database constructs may have a prefix: <c:Customer_Profile.
    const begins = (body, root) => body.startsWith(`<${root}`) || body.startsWith(root, body.indexOf(':') + 1);
    const has = (root, key) => ({ body }) => begins(body, root) && (anyKey || body.includes(key));
    const isAt = (path) => (res) => anyKey || res.headers.Location === path;
    return {
      get: (path, root, key) => send('GET', path, null, looking ? text : params, 200, has(root, key)),
      put: (path, body, root, key) => send('PUT', path, body, withBody, 200, has(root, key)),
      post: (path, body, root, key) => send('POST', path, body, withBody, 200, has(root, key)),
      insert: (path, body, location) => send('POST', path, body, withBody, 201, isAt(location)),
      remove: (path) => send('DELETE', path, null, text, 204, null),
      // replace reads a document and writes it back.
      replace(path, root, key) {
        const read = send('GET', path, null, text, 200, has(root, key));
        if (read === null) return null;
        const unchanged = { ...withBody, headers: { ...withBody.headers, 'If-Match': read.headers.Etag } };
        return send('PUT', path + tools.unvalidated, read.body, unchanged, 204, null);
      },
    };
  }

  // runner returns a function that carries out a transaction, counts it, and returns nothing if there is nothing to do.
  function runner(transaction, name, registered) {
    const run = make[transaction]({ ...tools, ...requestsOf(name, registered) });
    const good = { name, kind: registered.kind, outcome: 'good' };
    return () => {
      elapsed = 0;
      failure = null;
      const ended = run();
      if (ended === nothing) drawnAgain.add(1, { name });
      else duration.add(elapsed, failure === null ? good : { ...good, ...failure });
      return ended;
    };
  }

  const runners = workload.mix.map(({ transaction }) => runner(transaction, transaction, transactions[transaction]));
  const choose = chooser(workload.mix.map(({ weight }) => weight), random);
  let untilLook = lookEvery;
  function transact() {
    looking = --untilLook === 0;
    if (looking) untilLook = lookEvery;
    while (runners[choose()]() === nothing); // another is drawn
  }

  // prepare inserts what this user may delete later, which does not count as transactions of the mix. It resumes if k6
  // has cut it off at the end of the warm-up.
  let ready = false;
  function prepare() {
    if (ready) return;
    for (const [kind, pool, wanted] of [['order', tools.pools.orders, workload.prepare.orders], ['customer', tools.pools.customers, workload.prepare.customers]]) {
      const insert = runner(`insert_${kind}`, `prepare_${kind}`, { kind: 'prepare' });
      for (let tries = 2 * wanted; pool.length < wanted && tries > 0; tries--) insert();
    }
    ready = true;
  }

  return { prepare, transact, pause: () => settings.think.draw(random) };
}
