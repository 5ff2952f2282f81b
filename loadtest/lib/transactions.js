// What the transactions of one user share: random draws, requests, and checks of answers. The transactions themselves
// are in loadtest/transactions, a file for each. An answer is checked cheaply, by its root and the key that was asked
// for: whether documents are right is a question for the tests of the service.
import { make } from '../transactions/index.js';
import { lookup } from './dataset.js';
import { drawer } from './random.js';
import { shelf } from './templates.js';
import { workload } from './workload.js';

const CUSTACC = 'http://tpox-benchmark.com/custacc';
const SECURITY = 'http://tpox-benchmark.com/security';
const FIXML = 'http://www.fixprotocol.org/FIXML-4-4';
const unvalidated = workload.validate ? '' : '?validate=no';

// NOTHING is what run returns when the user has nothing of its own to remove; another transaction is drawn then.
export const NOTHING = Symbol('nothing');

// transactionsOf returns a function that returns a transaction of this user by its name: { run, draw }. run(key) makes
// the requests and returns whether they did their work, or NOTHING; draw() draws such a key in advance. draw is null for
// a transaction that draws for itself, because it needs ids or what the user has inserted.
//
// sending(name, request) returns the function that sends a request of a transaction: (url, body, key, etag). What does
// not change between requests is in it, because k6 pays for each argument and each closure. ids(kind) returns new ids.
// pools holds what the user has inserted.
export function transactionsOf({ baseURL, data, random, index, users, sending, ids, pools }) {
  const { below, between, next } = random;
  const { accountOf, heldBy, symbolAt } = lookup(data, random);
  const firstOrder = data.orders.first;
  const firstCustomer = data.customers.first;
  const drawOrder = drawer(workload.draws.order, data.orders.count, random, index, users);
  const drawCustomer = drawer(workload.draws.customer, data.customers.count, random, index, users);
  const drawSecurity = drawer(workload.draws.security, data.securities.count, random, index, users);
  const shelves = { order: shelf('order', random), customer: shelf('customer', random), account: shelf('account', random) };

  // now returns the time in the form of documents. It is formatted once a second, since formatting is slow.
  let second = 0;
  let clock = '';
  const now = () => {
    const s = Math.floor(Date.now() / 1000);
    if (s !== second) {
      second = s;
      clock = new Date(1000 * s).toISOString().slice(0, 19);
    }
    return clock;
  };

  // The null store answers every request with the same documents.
  const anyKey = data.fingerprint.startsWith('null/');
  // An element that a database constructs may have a prefix: <c:Customer_Profile from PostgreSQL.
  const begins = (body, root) => body.startsWith(root) || body.startsWith(root.slice(1), body.indexOf(':') + 1);
  const has = (body, root, key) => begins(body, root) && (anyKey || body.includes(key));
  const answer = (root, before, after) => (res, key) => has(res.body, root, before + key + after);
  const located = (path) => (res, key) => anyKey || res.headers.Location === path + key;

  // takeOut returns a run that removes a random element of a pool and does something with it.
  const takeOut = (pool, remove) => () => {
    if (pool.length === 0) return NOTHING;
    const i = below(pool.length);
    const taken = pool[i];
    const last = pool.pop();
    if (i < pool.length) pool[i] = last;
    return remove(taken);
  };

  const v1 = `${baseURL}/v1`;
  const accounts = `${v1}/accounts`;

  const tools = {
    accounts, orders: `${v1}/orders`, customers: `${v1}/customers`, securities: `${v1}/securities`,
    CUSTACC, SECURITY, FIXML, unvalidated,
    search: { ...data.search, ...workload.search }, trades: workload.trades, updates: workload.updates,
    below, next, drawFrom: (range) => between(range[0], range[1]),
    order: () => firstOrder + drawOrder(),
    customer: () => firstCustomer + drawCustomer(),
    symbol: () => symbolAt(drawSecurity()),
    someAccount: () => accountOf(drawCustomer()),
    heldBy, ids, now, pools, takeOut,
    shelf: (kind) => shelves[kind],
  };

  // requestsOf returns the functions that make the requests of a transaction.
  function requestsOf(name) {
    const query = (root, before, after) => sending(name, { method: 'GET', status: 200, right: answer(root, before, after) });
    return {
      // send and answer make a request that no function below makes.
      send: (request) => sending(name, request),
      answer,
      query,
      // read is a whole transaction: the query of something by its key.
      read({ draw, path, after = '', answer: [root, before, end] }) {
        const send = query(root, before, end);
        return { draw, run: (key) => send(`${path}/${key}${after}`, null, key) };
      },
      change: (root, before, after) => sending(name, { method: 'PUT', status: 200, right: answer(root, before, after) }),
      insert: (path) => sending(name, { method: 'POST', status: 201, right: located(path) }),
      remove: () => sending(name, { method: 'DELETE', status: 204 }),
      trade(side) {
        const send = sending(name, { method: 'POST', status: 200, right: answer('<Trade_Confirmation', '<Symbol>', '<') });
        return (symbol, account, quantity) =>
          send(`${accounts}/${account}/${side}`, `<Trade xmlns="${CUSTACC}"><Symbol>${symbol}</Symbol><Quantity>${quantity}</Quantity></Trade>`, symbol);
      },
      // replace reads a document and writes it back: one transaction, timed over both requests.
      replace(root, before, after) {
        let etag = '';
        let document = '';
        const asked = answer(root, before, after);
        const right = (res, key) => {
          etag = res.headers.Etag;
          document = res.body;
          return etag !== undefined && asked(res, key);
        };
        const get = sending(name, { method: 'GET', status: 200, right, always: true });
        const put = sending(name, { method: 'PUT', status: 204 });
        return (url, key) => get(url, null, key) && put(url + unvalidated, document, key, etag);
      },
    };
  }

  return (name) => {
    const made = make[name]({ ...tools, ...requestsOf(name) });
    return typeof made === 'function' ? { run: made, draw: null } : made;
  };
}
