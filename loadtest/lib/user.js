// One user, which draws transactions, carries them out and counts their outcomes. In k6 each user has its own
// JavaScript engine, so nothing here is shared.
import exec from 'k6/execution';
import http from 'k6/http';
import { sleep } from 'k6';
import { idsOf } from './ids.js';
import * as metrics from './metrics.js';
import { chooser, makeRandom } from './random.js';
import { CARRIED, EMPTY, LATE, LATE_UNANSWERED, NO_ANSWER, RIGHT, WRONG_ANSWER, reasonOf } from './reasons.js';
import { problems, transactions } from './registry.js';
import { headers } from './service.js';
import { allUsers, settings } from './settings.js';
import { NOTHING, transactionsOf } from './transactions.js';
import { workload } from './workload.js';

const { gauges, prepared } = metrics;
const silenceSeconds = 3; // without an answer, after which a service counts as dead

// The content of one answer in sixteen is checked: passing a document of some kilobytes to a script costs k6 as much as
// everything else about a query.
const lookEvery = 16;

const ahead = 64; // transactions drawn at a time

const answerWithin = 30000; // ms; longer than a service waits for its store, as in brokerage drive

const success = { min: 200, max: 299 };
http.setResponseCallback(http.expectedStatuses(success));

// paramsOf returns the parameters of the requests of a transaction, with the body of the answer (seen) and without.
// They are made once. Without a name, each URL with its ids would be a series of its own.
function paramsOf(name, hasBody) {
  // k6 counts a request as failed if its status is unexpected.
  const { kind, expected = [] } = transactions[name];
  const own = kind === 'query' && settings.consistency.startsWith('stale=') ? { ...headers, 'Max-Staleness': settings.consistency.slice('stale='.length) } : headers;
  const statuses = expected.map((reason) => problems[reason]);
  const params = { tags: { name, kind }, timeout: answerWithin };
  if (hasBody) params.headers = { ...own, 'Content-Type': 'application/xml' };
  else if (Object.keys(own).length > 0) params.headers = own;
  if (statuses.length > 0) params.responseCallback = http.expectedStatuses(success, ...new Set(statuses));
  const seen = { ...params, responseType: 'text' };
  // The reason of an expected refusal is in the body, and such bodies are small.
  return { seen, unseen: statuses.length > 0 ? seen : params };
}

// makeUser returns { prepare, transact }. The result of setup() belongs to Go, and each access copies it, so it is
// copied once. All that a transaction uses are variables of this function, because k6's engine finds those by index,
// but imports, globals and properties by name.
export function makeUser(setup, from) {
  const { request } = http;
  const { baseURL, every } = settings;
  const { twoRequests, wrongAnswers } = metrics;
  const intervals = metrics.intervalCount;
  const [ask, wait, note, reasonIn, nothing, noAnswer, wrongAnswer, look] = [request, sleep, metrics.note, reasonOf, NOTHING, NO_ANSWER, WRONG_ANSWER, lookEvery];
  const to = from + 1000 * settings.duration;
  const closed = settings.rate === 0;
  const withTokens = settings.consistency === 'token';
  const { now } = Date;

  const { dataset, leases } = JSON.parse(JSON.stringify({ dataset: setup.dataset, leases: setup.leases }));
  // Users are numbered through all parts of the load, so that they draw different numbers and take different ids.
  const index = exec.vu.idInTest - 1;
  const users = allUsers;
  const random = makeRandom(settings.seed, index);
  const pools = { orders: [], customers: [], accounts: [] };

  // Of the transaction in progress:
  let elapsed = 0; // time so far, in ms
  let reason = ''; // why it did not do its work
  let looking = true; // whether the content of its answer is checked
  let counting = false;
  let unseen = look; // transactions until the next whose content is checked
  let token = ''; // of the last write
  let silent = 0; // requests in a row without an answer
  let silentSince = 0;

  // sending returns the function that sends a request of a transaction, adds its time, and returns whether the answer
  // is the right one: by its status and, if the content is checked, by right(res, key).
  function sending(name, { method, status, right = null, always = false }) {
    const params = paramsOf(name, method === 'POST' || method === 'PUT');
    const isQuery = transactions[name].kind === 'query';
    const sendsToken = withTokens && isQuery;
    const takesToken = withTokens && !isQuery;
    return function send(url, body, key, etag) {
      const look = right !== null && (looking || always);
      let p = look ? params.seen : params.unseen;
      if (etag !== undefined) p = { ...p, headers: { ...p.headers, 'If-Match': etag } };
      if (sendsToken && token !== '') p = { ...p, headers: { ...p.headers, 'Consistency-Token': token } };
      let res;
      try {
        res = ask(method, url, body, p);
      } catch (_) {
        reason = noAnswer;
        missed();
        return false;
      }
      silent = 0;
      if (twoRequests) elapsed += res.timings.duration;
      if (takesToken) token = res.headers['Consistency-Token'] || token;
      const got = res.status;
      if (got !== status) {
        reason = reasonIn(got, res.body);
        return false;
      }
      if (look && !right(res, key)) {
        reason = wrongAnswer;
        wrongAnswers.add(1);
        return false;
      }
      return true;
    };
  }

  // missed ends the run if the service has died; otherwise it would only count refused connections.
  function missed() {
    const time = now();
    if (silent++ === 0) silentSince = time;
    if (silent >= 3 && time - silentSince >= 1000 * silenceSeconds) {
      gauges.ended.add(1);
      exec.test.abort(`the service at ${baseURL} no longer answers`);
    }
    wait(0.2);
  }

  const transaction = transactionsOf({ baseURL, data: dataset, random, index, users, sending, ids: idsOf(leases, index, users), pools });
  const choose = chooser(workload.mix.map((part) => part.weight), random);
  const own = workload.mix.map((part) => transaction(part.transaction));
  const runs = own.map(({ run }) => run);
  const draws = own.map(({ draw }) => draw);

  // Transactions are drawn in advance, many at a time. With 50 users that draw one at a time, a transaction costs k6 a
  // tenth more, probably because the data for drawing leaves the processor's caches in between.
  const drawn = new Array(ahead).fill(0); // indexes in the mix
  const keys = new Array(ahead).fill(undefined); // and their keys
  let turn = ahead;
  function drawAhead() {
    for (turn = 0; turn < ahead; turn++) {
      const i = choose();
      const draw = draws[i];
      drawn[turn] = i;
      keys[turn] = draw === null ? undefined : draw();
    }
    turn = 0;
  }

  const mix = workload.mix.map((part) => ({
    name: part.transaction,
    expected: transactions[part.transaction].expected || [],
    addTimes: twoRequests ? metrics.addTimes(part) : null,
  }));

  // Samples have a tag from when this user begins its measured time and, with several intervals, a tag for the interval.
  let interval = '';
  let intervalEnd = from; // in ms
  function enterInterval(began) {
    counting = true;
    exec.vu.metrics.tags.phase = 'measured';
    intervalEnd = to;
    if (intervals === 1) return;
    const i = Math.min(Math.floor((began - from) / 1000 / every), intervals - 1);
    if (i < intervals - 1) intervalEnd = from + 1000 * every * (i + 1);
    interval = String(i);
    exec.vu.metrics.tags.interval = interval;
  }

  // transact draws a transaction and carries it out. If there is nothing to remove, another is drawn. Only transactions
  // that end in the measured time count.
  function transact() {
    const began = now();
    if (began >= to && closed) return wait(0.2); // nothing new is begun, except arrivals that were due
    if (began >= intervalEnd && (began < to || !counting)) enterInterval(began);
    looking = --unseen === 0;
    if (looking) unseen = look;
    for (;;) {
      if (turn === ahead) drawAhead();
      const i = drawn[turn];
      elapsed = 0;
      reason = '';
      const good = runs[i](keys[turn++]);
      if (good !== nothing) {
        count(mix[i], good, now());
        return;
      }
      if (counting) note(mix[i].name, EMPTY, true);
    }
  }

  function count({ name, expected, addTimes }, good, ended) {
    if (ended < from) return;
    const answered = reason !== noAnswer;
    if (addTimes !== null && counting) addTimes(elapsed, answered);
    if (ended >= to) {
      if (counting) note(name, answered ? LATE : LATE_UNANSWERED, true);
      return;
    }
    if (!counting) note(name, CARRIED, true);
    if (!good) note(name, reason, expected.includes(reason), interval);
    else if (looking) note(name, RIGHT, true);
  }

  // prepare inserts what this user may delete later. k6 may cut it off at the end of the ramp; it resumes when it is
  // called again.
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

  function insert(name, pool, wanted, counter) {
    const { run } = transaction(name);
    for (let tries = 2 * (wanted - pool.length); pool.length < wanted && tries > 0; tries--) {
      reason = '';
      if (run()) counter.add(1);
      else note('prepared', reason, false);
    }
  }

  // pause returns the seconds until the next transaction.
  const pause = () => settings.think.draw(random);

  return { prepare, transact, pause };
}
