// One user: it draws transactions, does them, and counts what came of them. k6
// gives each a JavaScript engine of its own, so nothing here is shared.
import exec from 'k6/execution';
import http from 'k6/http';
import { check, sleep } from 'k6';
import { idsOf } from './ids.js';
import * as metrics from './metrics.js';
import { NO_ANSWER, WRONG_ANSWER, expected, kinds, problems, reasonOf } from './registry.js';
import { chooser, makeRandom } from './random.js';
import { headers } from './service.js';
import { settings } from './settings.js';
import { EMPTY, transactionsOf } from './transactions.js';
import { workload } from './workload.js';

const { gauges, prepared } = metrics;
const silenceSeconds = 3; // after which a service counts as dead

// One transaction of sixteen is looked into, and a check taken of it and of all that
// go wrong: to hand a document of some kilobytes to a script costs k6 as much as
// all else that it does for a query.
const lookEvery = 16;

const success = { min: 200, max: 299 };
http.setResponseCallback(http.expectedStatuses(success));

// params are made once for each transaction. The name keeps ids out of the tags:
// each URL would be a series of its own.
function params(name) {
  // What k6 counts as failed is what is unexpected by its status.
  const statuses = (expected[name] || []).map((reason) => problems[reason]);
  const callback = statuses.length === 0 ? {} : { responseCallback: http.expectedStatuses(success, ...new Set(statuses)) };
  const common = { ...(settings.token === '' ? {} : { headers }), tags: { name, kind: kinds[name] }, ...callback };
  const xml = { headers: { ...headers, 'Content-Type': 'application/xml' } };
  const text = { responseType: 'text' };
  // A refusal that is expected is in the body, and such bodies are small.
  const unseen = statuses.length > 0 ? text : {};
  return { get: { ...common, ...unseen }, getText: { ...common, ...text }, put: { ...common, ...xml, ...unseen }, putText: { ...common, ...xml, ...text } };
}

// makeUser gives { prepare, transact }. What setup() returned is Go's, and reading
// it makes a copy each time; so one copy is made for good. All that a transaction
// touches is a variable of this function: k6's engine finds those by their place,
// but what is imported, global or in an object by its name.
export function makeUser(setup, from) {
  const { request } = http;
  const { baseURL, every } = settings;
  const { all, intervals, intervalsRefused, wrong } = metrics;
  const several = intervals.length > 0;
  const [ask, wait, checkThat, reasonIn, nothing, noAnswer, wrongAnswer, look] = [request, sleep, check, reasonOf, EMPTY, NO_ANSWER, WRONG_ANSWER, lookEvery];
  const { now } = Date;

  const { dataset, leases } = JSON.parse(JSON.stringify({ dataset: setup.dataset, leases: setup.leases }));
  const index = exec.vu.idInInstance - 1;
  const users = settings.users + 1; // one of them is the watch, whichever
  const random = makeRandom(settings.seed, index);
  const pools = { orders: [], customers: [], accounts: [] };

  let current; // params of the transaction that is running,
  let elapsed = 0; // its time so far, in ms,
  let reason = ''; // why it did not do its work,
  let looking = true; // and whether it is looked into
  let counting = false;
  let done = 0;
  let silent = 0; // requests in a row that nobody answered
  let silentSince = 0;

  // send sends a request of the transaction that is running, adds its time, and
  // tells whether the answer is the one that was asked for.
  function send(method, path, body, status, looksRight, match) {
    let p;
    if (body === null) p = looksRight === null ? current.get : current.getText;
    else p = looksRight === null ? current.put : current.putText;
    if (match !== undefined) p = { ...p, headers: { ...p.headers, 'If-Match': match } };
    let res;
    try {
      res = ask(method, baseURL + path, body, p);
    } catch (_) {
      reason = noAnswer;
      nobody();
      return false;
    }
    silent = 0;
    elapsed += res.timings.duration;
    const got = res.status;
    if (got !== status) {
      reason = reasonIn(got, res.body);
      return false;
    }
    if (looksRight !== null && !looksRight(res)) {
      reason = wrongAnswer;
      wrong.add(1);
      return false;
    }
    return true;
  }

  // nobody ends the run when the service has died, so that it says so instead of
  // counting refused connections.
  function nobody() {
    const time = now();
    if (silent++ === 0) silentSince = time;
    if (silent >= 3 && time - silentSince >= 1000 * silenceSeconds) {
      gauges.ended.add(1);
      exec.test.abort(`the service at ${baseURL} does not answer any more`);
    }
    wait(0.2);
  }

  const transactions = transactionsOf({ data: dataset, random, index, users, send, ids: idsOf(leases, index, users), looking: () => looking, pools });
  const choose = chooser(workload.mix.map((part) => part.weight), random);
  const mix = workload.mix.map(({ transaction }, i) => ({
    run: transactions[transaction],
    expected: expected[transaction] || [],
    time: metrics.times[i],
    refused: metrics.refused[i],
    empty: metrics.empty[i],
    kind: metrics.kindTrend(kinds[transaction]),
    params: params(transaction),
    checks: { [`${transaction}: the right answer, or a refusal that is expected`]: (right) => right },
  }));

  // begin is when what this user does begins to count. From here on all its
  // samples say so.
  function begin() {
    counting = true;
    exec.vu.metrics.tags.phase = 'measured';
    gauges.measured_from.add(from);
  }

  // transact draws a transaction and does it. One for which there is nothing to
  // take away is drawn again.
  function transact() {
    const began = now();
    if (!counting && began >= from) begin();
    done++;
    looking = done % look === 0;
    for (;;) {
      const t = mix[choose()];
      current = t.params;
      elapsed = 0;
      reason = '';
      const right = t.run();
      if (right !== nothing) {
        if (counting) count(t, right, began);
        return;
      }
      if (counting) t.empty.add(1);
    }
  }

  function count(t, good, began) {
    const right = good || t.expected.includes(reason);
    if (looking || !right) checkThat(right, t.checks);
    if (!good) t.refused.add(1, { reason });
    if (reason === noAnswer) return; // it has no time
    t.time.add(elapsed);
    if (several) {
      const i = Math.min(Math.floor((began - from) / 1000 / every), intervals.length - 1);
      intervals[i].add(elapsed);
      if (!good) intervalsRefused[i].add(1);
    }
    if (all !== null) {
      t.kind.add(elapsed);
      all.add(elapsed);
    }
  }

  // prepare inserts what this user may later delete. k6 may cut it off at the end
  // of the ramp, and then it goes on where it was.
  let ready = false;
  let preparing = 0;
  function prepare() {
    if (ready) return;
    if (preparing === 0) preparing = now();
    insert('insert_order', pools.orders, workload.prepare.orders, prepared.orders);
    insert('insert_customer', pools.customers, workload.prepare.customers, prepared.customers);
    ready = true;
    const time = now();
    if (workload.prepare.orders + workload.prepare.customers > 0) gauges.prepare_seconds.add((time - preparing) / 1000);
    if (time > from) prepared.late.add(1);
  }

  const inserting = { insert_order: params('insert_order'), insert_customer: params('insert_customer') };
  function insert(name, pool, wanted, counter) {
    current = inserting[name];
    for (let tries = 2 * (wanted - pool.length); pool.length < wanted && tries > 0; tries--) {
      reason = '';
      if (transactions[name]()) counter.add(1);
      else prepared.refused.add(1, { reason });
    }
  }

  return { prepare, transact };
}
