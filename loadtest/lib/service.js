// Requests besides the load: what a run must know of the service before it begins, and leases of new ids.
import http from 'k6/http';
import { refuse, settings } from './settings.js';

export const headers = settings.token === '' ? {} : { Authorization: `Bearer ${settings.token}` };

// ask returns the body of a response, or ends the run with one line.
function ask(method, path) {
  const sent = method === 'GET' ? headers : { ...headers, 'Content-Type': 'application/xml' };
  const res = http.request(method, settings.baseURL + path, null, { headers: sent, responseType: 'text', tags: { name: 'beside the load' } });
  if (res.status === 200) return res.body;
  if (res.status === 0) return refuse(`no service answers at ${settings.baseURL}`);
  if (res.status === 401) return refuse(settings.token === '' ? 'the service requires a token: set TOKEN' : 'the service does not accept the TOKEN');
  if (res.status === 403) return refuse(`the TOKEN may not ${method} ${path.split('?')[0]}: a load needs the scopes read and trade; the workload classic also needs admin`);
  if (res.status === 404) return refuse(`the database behind ${settings.baseURL} is empty: load a dataset first (brokerage load)`);
  return refuse(`${method} ${settings.baseURL}${path} returned ${res.status}`);
}

const unescape = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&apos;/g, "'").replace(/&amp;/g, '&');

// attributes returns the attributes of each element of a name, with numbers as numbers.
function attributes(xml, element) {
  const value = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : unescape(text));
  return [...xml.matchAll(new RegExp(`<${element}((?:\\s+[\\w:]+="[^"]*")*)\\s*/?>`, 'g'))].map(([, inside]) =>
    Object.fromEntries([...inside.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name, text]) => [name, value(text)])));
}

// symbolWidth is the width of a symbol in the string of all symbols: an array of twenty thousand strings for each user
// would not fit into memory.
const symbolWidth = 7;

// describe returns what GET /v1/dataset says of the ids, accounts and symbols, and of the store.
export function describe() {
  const xml = ask('GET', '/v1/dataset?symbols=true');
  const one = (element) => attributes(xml, element)[0];
  if (one('Dataset') === undefined || one('Accounts') === undefined) return refuse('the database was not generated, so its ids are not known');
  const dataset = { ...one('Dataset'), securities: one('Securities'), customers: one('Customers'), orders: one('Orders') };
  if (dataset.customers.count < settings.users) {
    return refuse(`the database is too small for ${settings.users} users: it has ${dataset.customers.count} customers`);
  }
  const range = (element) => [one(element).from, one(element).to];
  return {
    dataset,
    accounts: { ...one('Accounts'), pattern: attributes(xml, 'Customer') },
    search: {
      peMin: range('PEMin'), peMax: range('PEMax'), yieldMin: range('YieldMin'),
      sectors: [...xml.matchAll(/<Sector>([^<]*)<\/Sector>/g)].map(([, sector]) => encodeURIComponent(unescape(sector))),
    },
    symbols: [...xml.matchAll(/<Symbol>([^<]*)<\/Symbol>/g)].map(([, symbol]) => symbol.padEnd(symbolWidth)).join(''),
    store: one('Store'),
    settings: Object.fromEntries(attributes(xml, 'Setting').map(({ name, value }) => [name, String(value)])),
    faithful: Object.fromEntries(attributes(xml, 'Transaction').map(({ name, faithful }) => [name, faithful])),
    version: attributes(ask('GET', '/version'), 'Version').map(({ version }) => String(version))[0] || '',
  };
}

// lookup returns functions that find or draw keys.
export function lookup({ symbols, accounts, dataset }, { below }) {
  const { first, stride, pattern } = accounts;
  const symbolAt = (i) => symbols.slice(i * symbolWidth, (i + 1) * symbolWidth).trimEnd();
  return {
    symbolAt,
    // accountOf draws an account of customer k, counted from 0.
    accountOf(k) {
      const { offset, accounts: count } = pattern[k % pattern.length];
      return first + stride * Math.floor(k / pattern.length) + offset + (count > 1 ? below(count) : 0);
    },
    // heldBy returns the symbol of the first position of a generated account.
    heldBy: (account) => symbolAt(account % dataset.securities.count),
  };
}

// lease returns the first of a number of ids that no other client ever receives.
const lease = (kind, count) => Number(/first="(\d+)"/.exec(ask('POST', `/v1/dataset/leases?kind=${kind}&count=${count}`))[1]);

const [idsForEach, again, maxLease] = [20000, 3000, 1e7];

// leaseIds leases ids of all kinds for all users.
export function leaseIds() {
  const count = Math.min(idsForEach * settings.users, maxLease);
  return Object.fromEntries(['order', 'customer', 'account'].map((kind) => [kind, { first: lease(kind, count), count }]));
}

// idsOf returns a function that takes the next id of a kind. User u of n takes the ids u, u+n, u+2n and so on of the
// lease, so that all users together go through it in ascending order, as a sequence would.
export function idsOf(leases, user) {
  const { users } = settings;
  const ranges = {};
  for (const [kind, { first, count }] of Object.entries(leases)) {
    const width = kind === 'account' ? 3 : 1; // a customer has up to three
    ranges[kind] = { width, next: first + user * width, step: users * width, end: first + count };
  }
  return (kind) => {
    const range = ranges[kind];
    if (range.next + range.width > range.end) {
      range.next = lease(kind, again);
      range.end = range.next + again;
      range.step = range.width;
    }
    const id = range.next;
    range.next += range.step;
    return id;
  };
}
