// Valid parameters for each transaction, drawn from what GET /v1/dataset promises to every client: which ids, symbols
// and accounts there are. New ids are leased, so that no other client gets them. Each transaction adds its own example,
// in examples/<name>.js, which the service appends to this file.
'use strict';

const below = (n) => Math.floor(Math.random() * n);
const between = (from, to) => from + below(to - from + 1);
const one = (list) => list[below(list.length)];

// Refused is thrown when the service refuses what an example needs.
class Refused extends Error {}

async function ask(path, scope, options = {}) {
  const answer = await fetch(service(path), { headers: authorized('application/xml'), cache: 'no-store', ...options });
  if (answer.ok) return new DOMParser().parseFromString(await answer.text(), 'application/xml').documentElement;
  const needs = answer.status === 401 || answer.status === 403 ? `a token with the scope ${scope}` : 'the service to answer';
  throw new Refused(`An example of what exists needs ${needs} (${answer.status}).`);
}

let known; // the dataset, a promise
let knownBy; // the token that it was requested with

// dataset returns the description of the loaded dataset, which it requests once for each token.
function dataset() {
  if (known && knownBy === token()) return known;
  knownBy = token();
  known = ask('v1/dataset?symbols=true', 'read').then(readDataset);
  known.catch(() => { known = undefined; });
  return known;
}

function readDataset(xml) {
  const all = (name) => [...xml.getElementsByTagName(name)];
  if (!xml.hasAttribute('scale')) throw new Refused('The data was not generated, so its ids are not known: fill them in.');
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

// accountOf draws a customer and one of its accounts: the numbers of accounts repeat after a few customers.
function accountOf(d) {
  const k = below(d.customers.count);
  const own = d.pattern[k % d.pattern.length];
  const first = d.accounts.first + d.stride * Math.floor(k / d.pattern.length) + own.offset;
  const account = first + below(own.accounts);
  // The first position of a generated account is the symbol at this index.
  return { customer: d.customers.first + k, account, held: d.symbols[account % d.symbols.length] };
}

const leased = new Map(); // by kind: the ids that are left

// lease returns n new ids.
async function lease(kind, n) {
  let left = leased.get(kind) ?? [];
  if (left.length < n) {
    const more = await ask(`v1/dataset/leases?kind=${kind}&count=12`, 'trade', {
      method: 'POST', headers: { ...authorized('application/xml'), 'Content-Type': 'application/xml' },
    });
    const first = Number(more.getAttribute('first'));
    left = Array.from({ length: 12 }, (_, i) => first + i);
  }
  leased.set(kind, left.slice(n));
  return left.slice(0, n);
}

let documents; // templates of inserted documents, a promise
let turn = 0;

// filled returns the next document of a kind, with these values in its slots.
async function filled(kind, values) {
  documents ??= fetch(service('page/templates.json')).then((answer) => answer.json());
  const parts = (await documents)[kind];
  const now = new Date().toISOString();
  const all = { ...values, date: now.slice(0, 10), datetime: now.slice(0, 19) };
  return parts[turn++ % parts.length].map((part, i) => (i % 2 ? all[part] : part)).join('');
}

const custacc = 'http://tpox-benchmark.com/custacc';

const price = async (d) => ({ symbol: one(d.symbols) });
const customer = async (d) => ({ customer: d.customers.first + below(d.customers.count) });
const order = async (d) => ({ order: d.orders.first + below(d.orders.count) });
const trade = (quantity) => async (d) => {
  const { account, held } = accountOf(d);
  return {
    account,
    body: `<Trade xmlns="${custacc}"><Symbol>${held}</Symbol><Quantity>${quantity()}</Quantity></Trade>`,
  };
};

// examples holds for each transaction, by its name:
//   draw    draws the values of the form's fields and its body, or undefined where nothing is left to delete;
//   creates the field of a delete's form that takes the id of what this transaction inserted;
//   created the fields of what this page has inserted and not yet deleted;
//   undoes  the name of the transaction that inserts what this one deletes.
// Deletes take only what this page has inserted: without generated documents, later queries would find less and less.
const examples = {};

const lastOf = (name) => async () => examples[name].created.at(-1);

const example = async (name) => examples[name].draw(await dataset());

// noteAnswer records what an answer says was inserted or deleted.
function noteAnswer(form, answer) {
  const { creates, created, undoes } = examples[form.dataset.name];
  if (answer.status === 201 && creates) {
    const id = answer.headers.get('Location')?.split('/').at(-1);
    const fields = $$('[data-in=path]', form).map((field) => [field.name, field.value]);
    created.push({ ...Object.fromEntries(fields), [creates]: id });
  }
  if (answer.ok && undoes) {
    const gone = (e) => Object.entries(e).every(([field, value]) => form.elements[field].value === String(value));
    examples[undoes].created = examples[undoes].created.filter((e) => !gone(e));
  }
}
