// Valid parameters for each of the 17, drawn from what GET /v1/dataset promises to every client: which ids, symbols and
// accounts there are. New ids are leased, so that nobody else ever gets them.
'use strict';

const below = (n) => Math.floor(Math.random() * n);
const between = (from, to) => from + below(to - from + 1);
const one = (list) => list[below(list.length)];

// Refused is what the service said instead of what an example needs.
class Refused extends Error {}

async function ask(path, scope, options = {}) {
  const answer = await fetch(service(path), { headers: authorized('application/xml'), cache: 'no-store', ...options });
  if (answer.ok) return new DOMParser().parseFromString(await answer.text(), 'application/xml').documentElement;
  const needs = answer.status === 401 || answer.status === 403 ? `a token with the scope ${scope}` : 'the service to answer';
  throw new Refused(`An example of what exists needs ${needs} (${answer.status}).`);
}

let known; // the dataset, a promise
let knownBy; // the token it was asked with

// dataset reads what is loaded, once.
function dataset() {
  if (known && knownBy === token()) return known;
  knownBy = token();
  known = ask('v1/dataset?symbols=true', 'read').then(readDataset);
  known.catch(() => { known = undefined; });
  return known;
}

function readDataset(xml) {
  const all = (name) => [...xml.getElementsByTagName(name)];
  if (!xml.hasAttribute('scale')) throw new Refused('The data was not generated, so which ids there are is not known: fill them in.');
  const figure = (e, name) => Number(e.getAttribute(name));
  const range = (name) => ({ first: figure(all(name)[0], 'first'), count: figure(all(name)[0], 'count') });
  const bounds = (name) => between(figure(all(name)[0], 'from'), figure(all(name)[0], 'to'));
  return {
    orders: range('Orders'), customers: range('Customers'), accounts: range('Accounts'),
    stride: figure(all('Accounts')[0], 'stride'),
    pattern: all('Customer').map((e) => ({ offset: figure(e, 'offset'), accounts: figure(e, 'accounts') })),
    symbols: all('Symbol').map((e) => e.textContent), sectors: all('Sector').map((e) => e.textContent), bounds,
  };
}

// accountOf draws a customer and one of its accounts, by the pattern that customers repeat.
function accountOf(d) {
  const k = below(d.customers.count);
  const own = d.pattern[k % d.pattern.length];
  const first = d.accounts.first + d.stride * Math.floor(k / d.pattern.length) + own.offset;
  const account = first + below(own.accounts);
  // The first position of a generated account is the symbol at this index.
  return { customer: d.customers.first + k, account, held: d.symbols[account % d.symbols.length] };
}

const leased = new Map(); // by kind: the ids that are left

// lease takes ids that nobody has.
async function lease(kind, n) {
  let left = leased.get(kind) ?? [];
  if (left.length < n) {
    const more = await ask(`v1/dataset/leases?kind=${kind}&count=12`, 'trade', { method: 'POST' });
    const first = Number(more.getAttribute('first'));
    left = Array.from({ length: 12 }, (_, i) => first + i);
  }
  leased.set(kind, left.slice(n));
  return left.slice(0, n);
}

let documents; // templates of what is inserted, a promise
let turn = 0;

// filled is the next document of a kind, with these values in its slots.
async function filled(kind, values) {
  documents ??= fetch(service('page/templates.json')).then((answer) => answer.json());
  const parts = (await documents)[kind];
  const now = new Date().toISOString();
  const all = { ...values, date: now.slice(0, 10), datetime: now.slice(0, 19) };
  return parts[turn++ % parts.length].map((part, i) => (i % 2 ? all[part] : part)).join('');
}

const custacc = 'http://tpox-benchmark.com/custacc';
const tradeOf = (symbol, quantity) => `<Trade xmlns="${custacc}"><Symbol>${symbol}</Symbol><Quantity>${quantity}</Quantity></Trade>`;

// What was made from this page and not yet taken away. Deletes take these: generated documents are meant to stay, or the
// database would answer later queries with ever more "not found".
const own = { insert_order: [], insert_customer: [], open_account: [] };
const makes = { delete_order: 'insert_order', delete_customer: 'insert_customer', close_account: 'open_account' };

const price = async (d) => ({ symbol: one(d.symbols) });
const customer = async (d) => ({ customer: d.customers.first + below(d.customers.count) });
const order = async (d) => ({ order: d.orders.first + below(d.orders.count) });
const trade = (quantity) => async (d) => {
  const { account, held } = accountOf(d);
  return { account, body: tradeOf(held, quantity()) };
};

const draws = {
  get_order: order,
  get_security: price,
  customer_profile: customer,
  search_securities: async (d) => ({
    sector: one(d.sectors), peMin: d.bounds('PEMin'), peMax: d.bounds('PEMax'), yieldMin: d.bounds('YieldMin'),
  }),
  account_summary: customer,
  get_security_price: price,
  customer_max_order: customer,
  close_account: async () => own.open_account.at(-1),
  open_account: async (d) => {
    const [account, account2, account3] = await lease('account', 3);
    return { ...(await customer(d)), body: await filled('account', { account, account2, account3 }) };
  },
  update_security_price: async (d) => ({
    ...(await price(d)),
    body: `<Price xmlns="http://tpox-benchmark.com/security"><LastTrade>${(between(100, 50_000) / 100).toFixed(2)}</LastTrade></Price>`,
  }),
  update_order_status: async (d) => ({
    ...(await order(d)), body: `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="${one([...'012348'])}"/>`,
  }),
  buy_security: trade(() => between(1, 100)),
  sell_security: trade(() => between(1, 10)),
  insert_order: async (d) => {
    const [id] = await lease('order', 1);
    return { body: await filled('order', { order: id, account: accountOf(d).account, symbol: one(d.symbols) }) };
  },
  insert_customer: async () => {
    const [id] = await lease('customer', 1);
    const [account, account2, account3] = await lease('account', 3);
    return { body: await filled('customer', { customer: id, account, account2, account3 }) };
  },
  delete_order: async () => own.insert_order.at(-1),
  delete_customer: async () => own.insert_customer.at(-1),
};

// example gives the values of a transaction's fields by name, and its body; nothing where there is nothing to take away.
const example = async (name) => draws[name](await dataset());

// noteAnswer keeps in mind what came into being, and what is gone.
function noteAnswer(form, answer) {
  const name = form.dataset.name;
  const id = answer.headers.get('Location')?.split('/').at(-1);
  if (answer.status === 201 && own[name]) {
    const field = { insert_order: 'order', insert_customer: 'customer', open_account: 'account' }[name];
    own[name].push({ [field]: id, ...(name === 'open_account' && { customer: form.elements.customer.value }) });
  }
  if (answer.ok && makes[name]) {
    const gone = (e) => Object.entries(e).every(([field, value]) => form.elements[field].value === String(value));
    own[makes[name]] = own[makes[name]].filter((e) => !gone(e));
  }
}
