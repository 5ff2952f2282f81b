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

// EMPTY says that a user has nothing of its own to take away: draw again.
export const EMPTY = Symbol('empty pool');

// transactionsOf gives a function that gives, by its name, a transaction of one
// user: { run, draw }. run(key) does it and returns whether it did its work, or
// EMPTY; draw() draws such a key ahead of its turn, and is null where a transaction
// draws for itself, because it needs ids or what the user has inserted.
// sending(name, request) gives the function that sends a request of a transaction:
// (url, body, key, etag). What does not change from one to the next is said once,
// for each argument costs, and a closure for each more. ids(kind) gives new ids;
// pools is what the user has inserted.
export function transactionsOf({ baseURL, data, random, index, users, sending, ids, pools }) {
  const { below, between, next } = random;
  const { accountOf, heldBy, symbolAt } = lookup(data, random);
  const { peMin, peMax, yieldMin, sectors } = { ...data.search, ...workload.search };
  const { sell, buy } = workload.trades;
  const { price: prices, status: states } = workload.updates;
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
  // take removes a random element of a pool.
  const take = (pool) => {
    const i = below(pool.length);
    const taken = pool[i];
    const last = pool.pop();
    if (i < pool.length) pool[i] = last;
    return taken;
  };

  // What an answer has to be: of this root, and with the key that was asked for.
  const answer = (root, before, after) => (res, key) => has(res.body, root, before + key + after);
  const located = (path) => (res, key) => anyKey || res.headers.Location === path + key;

  const query = (name, root, before, after) => sending(name, { method: 'GET', status: 200, right: answer(root, before, after) });
  const change = (name, root, before, after) => sending(name, { method: 'PUT', status: 200, right: answer(root, before, after) });
  const insert = (name, path) => sending(name, { method: 'POST', status: 201, right: located(path) });
  const remove = (name) => sending(name, { method: 'DELETE', status: 204 });

  const v1 = `${baseURL}/v1`;
  const [orders, customers, securities, accounts] = [`${v1}/orders`, `${v1}/customers`, `${v1}/securities`, `${v1}/accounts`];

  // asking is a query for what has a key.
  const asking = (send, draw, path, after) => ({ draw, run: (key) => send(`${path}/${key}${after}`, null, key) });

  const trading = (name, side) => {
    const send = sending(name, { method: 'POST', status: 200, right: answer('<Trade_Confirmation', '<Symbol>', '<') });
    return (symbol, account, quantity) =>
      send(`${accounts}/${account}/${side}`, `<Trade xmlns="${CUSTACC}"><Symbol>${symbol}</Symbol><Quantity>${quantity}</Quantity></Trade>`, symbol);
  };

  // replacing reads a document and writes it back: one transaction, timed over both.
  const replacing = (name, root, before, after) => {
    let etag = '';
    let document = '';
    const asked = answer(root, before, after);
    const right = (res, key) => {
      etag = res.headers.Etag;
      document = res.body;
      return etag !== undefined && asked(res, key);
    };
    const read = sending(name, { method: 'GET', status: 200, right, always: true });
    const write = sending(name, { method: 'PUT', status: 204 });
    return (url, key) => read(url, null, key) && write(url + unvalidated, document, key, etag);
  };

  const make = {
    get_order: (name) => asking(query(name, '<Order ', ' ID="', '"'), order, orders, ''),
    get_security: (name) => asking(query(name, '<Security ', '<Symbol>', '</Symbol>'), symbol, securities, ''),
    customer_profile: (name) => asking(query(name, '<Customer_Profile ', ' CUSTOMERID="', '"'), customer, customers, '/profile'),
    search_securities(name) {
      const send = query(name, '<Securities ', ' count="', '');
      const draw = () => `?sector=${sectors[below(sectors.length)]}&peMin=${drawFrom(peMin)}&peMax=${drawFrom(peMax)}&yieldMin=${drawFrom(yieldMin)}`;
      return { draw, run: (search) => send(securities + search, null, '') };
    },
    account_summary: (name) => asking(query(name, '<Customer ', ' id="', '"'), customer, customers, '/statement'),
    get_security_price: (name) => asking(query(name, '<Security_Price ', ' SYMBOL="', '"'), symbol, securities, '/price'),
    customer_max_order: (name) => asking(query(name, '<Customer_Max_Order ', ' CUSTOMERID="', '"'), customer, customers, '/orders/largest'),
    close_account(name) {
      const send = remove(name);
      return () => {
        if (pools.accounts.length === 0) return EMPTY;
        const { customer, account } = take(pools.accounts);
        return send(`${customers}/${customer}/accounts/${account}`, null, account);
      };
    },
    open_account(name) {
      const send = insert(name, '/v1/accounts/');
      return () => {
        const to = customer();
        const account = ids('account');
        const body = newAccount((slot) => (slot === 'account' ? account : now()));
        const opened = send(`${customers}/${to}/accounts`, body, account);
        if (opened) pools.accounts.push({ customer: to, account });
        return opened;
      };
    },
    update_security_price(name) {
      const send = change(name, '<Security_Price ', ' SYMBOL="', '"');
      return () => {
        const s = symbol();
        const price = (drawFrom(prices) / 100).toFixed(2);
        return send(`${securities}/${s}/price`, `<Price xmlns="${SECURITY}"><LastTrade>${price}</LastTrade></Price>`, s);
      };
    },
    update_order_status(name) {
      const send = change(name, '<OrderStatus', ' Stat="', '"');
      return () => {
        const state = states[below(states.length)];
        return send(`${orders}/${order()}/status`, `<OrderStatus xmlns="${FIXML}" Stat="${state}"/>`, state);
      };
    },
    buy_security(name) {
      const send = trading(name, 'buy');
      return () => {
        const account = someAccount();
        return send(next() < buy.held ? heldBy(account) : symbol(), account, drawFrom(buy.quantity));
      };
    },
    sell_security(name) {
      const send = trading(name, 'sell');
      return () => {
        const account = someAccount();
        return send(heldBy(account), account, drawFrom(sell.quantity));
      };
    },
    insert_order(name) {
      const send = insert(name, '/v1/orders/');
      return () => {
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
        const inserted = send(orders, body, id);
        if (inserted) pools.orders.push(id);
        return inserted;
      };
    },
    insert_customer(name) {
      const send = insert(name, '/v1/customers/');
      return () => {
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
        const inserted = send(customers + unvalidated, body, id);
        if (inserted) pools.customers.push(id);
        return inserted;
      };
    },
    delete_order(name) {
      const send = remove(name);
      return () => (pools.orders.length === 0 ? EMPTY : send(`${orders}/${take(pools.orders)}`, null, ''));
    },
    delete_customer(name) {
      const send = remove(name);
      return () => (pools.customers.length === 0 ? EMPTY : send(`${customers}/${take(pools.customers)}`, null, ''));
    },
    upd_custacc(name) {
      const replace = replacing(name, '<Customer ', ' id="', '"');
      return () => {
        const id = customer();
        return replace(`${customers}/${id}`, id);
      };
    },
    upd_security(name) {
      const replace = replacing(name, '<Security ', '<Symbol>', '</Symbol>');
      return () => {
        const s = symbol();
        return replace(`${securities}/${s}`, s);
      };
    },
  };
  return (name) => {
    const made = make[name](name);
    return typeof made === 'function' ? { run: made, draw: null } : made;
  };
}
