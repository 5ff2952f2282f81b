// The transactions: what each asks for, and what answer it takes for right.
// Where an answer is looked at, it is cheaply: its root, and the key that was
// asked for. The whole truth about documents is for the service's own tests.
import { lookup } from './dataset.js';
import { drawer } from './random.js';
import { shelf } from './templates.js';
import { workload } from './workload.js';

const CUSTACC = 'http://tpox-benchmark.com/custacc';
const SECURITY = 'http://tpox-benchmark.com/security';
const FIXML = 'http://www.fixprotocol.org/FIXML-4-4';
const unvalidated = workload.validate ? '' : '?validate=no';
const orderStates = ['0', '1', '2', '3', '4', '8'];

// EMPTY says that a user has nothing of its own to take away: draw again.
export const EMPTY = Symbol('empty pool');

// transactionsOf gives those of one user: functions that do a transaction and
// return whether it did its work, or EMPTY. send(method, path, body, status,
// looksRight, match) sends a request of it; ids(kind) gives new ids; looking()
// tells whether this one is looked into; pools is what the user has inserted.
export function transactionsOf({ data, random, index, users, send, ids, looking, pools }) {
  const { below, between, next } = random;
  const { accountOf, heldBy, symbolAt } = lookup(data, random);
  const { peMin, peMax, yieldMin, sectors } = { ...data.search, ...workload.search };
  const { sell, buy, held } = workload.trades;
  const firstOrder = data.orders.first;
  const firstCustomer = data.customers.first;
  const drawOrder = drawer(workload.draws.order, data.orders.count, random, index, users);
  const drawCustomer = drawer(workload.draws.customer, data.customers.count, random, index, users);
  const drawSecurity = drawer(workload.draws.security, data.securities.count, random, index, users);
  const newOrder = shelf('order', random);
  const newCustomer = shelf('customer', random);
  const newAccount = shelf('account', random);

  const order = () => firstOrder + drawOrder();
  const customer = () => firstCustomer + drawCustomer();
  const symbol = () => symbolAt(drawSecurity());
  const someAccount = () => accountOf(drawCustomer());
  const drawFrom = (range) => between(range[0], range[1]);

  // now is the time as documents have it; to write it each time would cost more
  // than the second is worth.
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

  // The null store answers with the same documents to whatever is asked.
  const anyKey = data.fingerprint.startsWith('null/');
  // What a database constructs may have a prefix: <c:Customer_Profile from PostgreSQL.
  const begins = (body, root) => body.startsWith(root) || body.startsWith(root.slice(1), body.indexOf(':') + 1);
  const has = (body, root, key) => begins(body, root) && (anyKey || body.includes(key));
  const get = (path, root, key) => send('GET', path, null, 200, looking() ? (res) => has(res.body, root, key) : null);
  const created = (path) => (looking() ? (res) => res.headers.Location === path || anyKey : null);

  // take removes a random element of a pool.
  const take = (pool) => {
    const i = below(pool.length);
    const taken = pool[i];
    const last = pool.pop();
    if (i < pool.length) pool[i] = last;
    return taken;
  };

  const trade = (side, symbol, account, quantity) => {
    const body = `<Trade xmlns="${CUSTACC}"><Symbol>${symbol}</Symbol><Quantity>${drawFrom(quantity)}</Quantity></Trade>`;
    return send('POST', `/v1/accounts/${account}/${side}`, body, 200, looking() ? (res) => has(res.body, '<Trade_Confirmation', `<Symbol>${symbol}<`) : null);
  };

  // replace reads a document and writes it back: one transaction, timed over both.
  const replace = (path, root, key) => {
    let etag = '';
    let document = '';
    const read = send('GET', path, null, 200, (res) => {
      etag = res.headers.Etag;
      document = res.body;
      return etag !== undefined && has(document, root, key);
    });
    return read && send('PUT', path + unvalidated, document, 204, null, etag);
  };

  return {
    get_order() {
      const id = order();
      return get(`/v1/orders/${id}`, '<Order ', ` ID="${id}"`);
    },
    get_security() {
      const s = symbol();
      return get(`/v1/securities/${s}`, '<Security ', `<Symbol>${s}</Symbol>`);
    },
    customer_profile() {
      const id = customer();
      return get(`/v1/customers/${id}/profile`, '<Customer_Profile ', ` CUSTOMERID="${id}"`);
    },
    search_securities() {
      const sector = sectors[below(sectors.length)];
      const path = `/v1/securities?sector=${sector}&peMin=${drawFrom(peMin)}&peMax=${drawFrom(peMax)}&yieldMin=${drawFrom(yieldMin)}`;
      return get(path, '<Securities ', ' count="');
    },
    account_summary() {
      const id = customer();
      return get(`/v1/customers/${id}/statement`, '<Customer ', ` id="${id}"`);
    },
    get_security_price() {
      const s = symbol();
      return get(`/v1/securities/${s}/price`, '<Security_Price ', ` SYMBOL="${s}"`);
    },
    customer_max_order() {
      const id = customer();
      return get(`/v1/customers/${id}/orders/largest`, '<Customer_Max_Order ', ` CUSTOMERID="${id}"`);
    },
    close_account() {
      if (pools.accounts.length === 0) return EMPTY;
      const { customer, account } = take(pools.accounts);
      return send('DELETE', `/v1/customers/${customer}/accounts/${account}`, null, 204, null);
    },
    open_account() {
      const to = customer();
      const account = ids('account');
      const body = newAccount((slot) => (slot === 'account' ? account : now()));
      const opened = send('POST', `/v1/customers/${to}/accounts`, body, 201, created(`/v1/accounts/${account}`));
      if (opened) pools.accounts.push({ customer: to, account });
      return opened;
    },
    update_security_price() {
      const s = symbol();
      const price = 1 + below(20000) / 100;
      const body = `<Price xmlns="${SECURITY}"><LastTrade>${price.toFixed(2)}</LastTrade></Price>`;
      return send('PUT', `/v1/securities/${s}/price`, body, 200, looking() ? (res) => has(res.body, '<Security_Price ', ` SYMBOL="${s}"`) : null);
    },
    update_order_status() {
      const state = orderStates[below(orderStates.length)];
      const body = `<OrderStatus xmlns="${FIXML}" Stat="${state}"/>`;
      return send('PUT', `/v1/orders/${order()}/status`, body, 200, looking() ? (res) => has(res.body, '<OrderStatus', ` Stat="${state}"`) : null);
    },
    buy_security() {
      const account = someAccount();
      return trade('buy', next() < held ? heldBy(account) : symbol(), account, buy);
    },
    sell_security() {
      const account = someAccount();
      return trade('sell', heldBy(account), account, sell);
    },
    insert_order() {
      const id = ids('order');
      const body = newOrder((slot) => {
        switch (slot) {
          case 'order':
            return id;
          case 'account':
            return someAccount();
          case 'symbol':
            return symbol();
          case 'date':
            return now().slice(0, 10);
          default:
            return now();
        }
      });
      const inserted = send('POST', '/v1/orders', body, 201, created(`/v1/orders/${id}`));
      if (inserted) pools.orders.push(id);
      return inserted;
    },
    insert_customer() {
      const id = ids('customer');
      const account = ids('account'); // and the two after it
      const body = newCustomer((slot) => {
        switch (slot) {
          case 'customer':
            return id;
          case 'account':
            return account;
          case 'account2':
            return account + 1;
          case 'account3':
            return account + 2;
          default:
            return now();
        }
      });
      const inserted = send('POST', `/v1/customers${unvalidated}`, body, 201, created(`/v1/customers/${id}`));
      if (inserted) pools.customers.push(id);
      return inserted;
    },
    delete_order() {
      if (pools.orders.length === 0) return EMPTY;
      return send('DELETE', `/v1/orders/${take(pools.orders)}`, null, 204, null);
    },
    delete_customer() {
      if (pools.customers.length === 0) return EMPTY;
      return send('DELETE', `/v1/customers/${take(pools.customers)}`, null, 204, null);
    },
    upd_custacc() {
      const id = customer();
      return replace(`/v1/customers/${id}`, '<Customer ', ` id="${id}"`);
    },
    upd_security() {
      const s = symbol();
      return replace(`/v1/securities/${s}`, '<Security ', `<Symbol>${s}</Symbol>`);
    },
  };
}
