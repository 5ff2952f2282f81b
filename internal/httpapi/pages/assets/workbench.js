// The workbench: shows the form of one transaction at a time, fills it in and sends it (send in base.js). Parameters are
// drawn from what GET /v1/dataset promises to every client: which ids, symbols and accounts there are. New ids are leased,
// so that no other client gets them.
'use strict';

const below = (n) => Math.floor(Math.random() * n);
const between = (from, to) => from + below(to - from + 1);
const one = (list) => list[below(list.length)];

// Refused is thrown when the service does not provide what an example needs.
class Refused extends Error {}

async function ask(path, scope, options = {}) {
  const answer = await fetch(service(path), { headers: authorized('application/xml'), cache: 'no-store', ...options });
  if (answer.ok) return new DOMParser().parseFromString(await answer.text(), 'application/xml').documentElement;
  const why = answer.status === 401 || answer.status === 403 ? `a token with the scope ${scope} is needed` : 'the service gave none';
  throw new Refused(`No example: ${why} (${answer.status}).`);
}

let known; // the dataset, a promise
let knownBy; // the token that it was requested with

// dataset returns the description of the loaded dataset, and requests it again after a failure or with another token.
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

// accountOf draws a customer and one of its accounts. The number of accounts per customer repeats as in d.pattern.
function accountOf(d) {
  const k = below(d.customers.count);
  const own = d.pattern[k % d.pattern.length];
  const first = d.accounts.first + d.stride * Math.floor(k / d.pattern.length) + own.offset;
  const account = first + below(own.accounts);
  // The id of a generated account gives the symbol of its first position.
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

// keys draws a value for each field that may name something in a path.
const keys = (d) => ({
  ...accountOf(d), order: d.orders.first + below(d.orders.count), symbol: one(d.symbols),
});

const trade = (quantity) => async (d) => {
  const { account, held } = accountOf(d);
  return {
    account,
    body: `<Trade xmlns="${custacc}"><Symbol>${held}</Symbol><Quantity>${quantity()}</Quantity></Trade>`,
  };
};

const lastOf = (name) => async () => examples[name].created.at(-1);

// examples holds, by the name of a transaction, what its form needs besides keys and the example of the contract:
//   draw    draws the values of the form's fields and its body, or undefined if nothing is left to delete;
//   creates the field of a delete's form that takes the id of what this transaction inserted;
//   created the fields of what this page has inserted and not yet deleted;
//   undoes  the name of the transaction that inserts what this one deletes.
// Deletes take only what this page has inserted: if they took generated documents, later queries would find less and less.
const examples = {
  search_securities: {
    draw: async (d) => ({
      sector: one(d.sectors), peMin: d.bounds('PEMin'), peMax: d.bounds('PEMax'), yieldMin: d.bounds('YieldMin'),
    }),
  },
  close_account: { undoes: 'open_account', draw: lastOf('open_account') },
  open_account: {
    creates: 'account', created: [],
    draw: async (d) => {
      const [account, account2, account3] = await lease('account', 3);
      return { ...keys(d), body: await filled('account', { account, account2, account3 }) };
    },
  },
  update_security_price: {
    draw: async (d) => {
      const last = (between(100, 50_000) / 100).toFixed(2);
      return { ...keys(d), body: `<Price xmlns="http://tpox-benchmark.com/security"><LastTrade>${last}</LastTrade></Price>` };
    },
  },
  update_order_status: {
    draw: async (d) => {
      const body = `<OrderStatus xmlns="http://www.fixprotocol.org/FIXML-4-4" Stat="${one([...'012348'])}"/>`;
      return { ...keys(d), body };
    },
  },
  buy_security: { draw: trade(() => between(1, 100)) },
  sell_security: { draw: trade(() => between(1, 10)) },
  insert_order: {
    creates: 'order', created: [],
    draw: async (d) => {
      const [id] = await lease('order', 1);
      return { body: await filled('order', { order: id, account: accountOf(d).account, symbol: one(d.symbols) }) };
    },
  },
  insert_customer: {
    creates: 'customer', created: [],
    draw: async () => {
      const [id] = await lease('customer', 1);
      const [account, account2, account3] = await lease('account', 3);
      return { body: await filled('customer', { customer: id, account, account2, account3 }) };
    },
  },
  delete_order: { undoes: 'insert_order', draw: lastOf('insert_order') },
  delete_customer: { undoes: 'insert_customer', draw: lastOf('insert_customer') },
};

const example = async (name) => (examples[name]?.draw ?? keys)(await dataset());

// noteAnswer records what a request inserted or deleted, by its answer.
function noteAnswer(form, answer) {
  const { creates, created, undoes } = examples[form.dataset.name] ?? {};
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

// --- the forms ---

const choice = $('#choice');
const formOf = (name) => $(`#try-${name} form`);
const changes = (form) => form.dataset.method !== 'GET';

function hint(form, text) {
  $('.hint', form).textContent = [text, changes(form) && 'Sending this changes the data.'].filter(Boolean).join(' ');
}

function fillIn(form, values) {
  for (const field of $$('[data-in]', form)) if (field.name in values) field.value = values[field.name];
  const body = $('textarea', form);
  if (body && values.body) {
    body.value = indent(values.body);
    body.rows = Math.min(16, body.value.split('\n').length + 1);
  }
}

// next fills a form with another example, if there is one.
async function next(form) {
  const name = form.dataset.name;
  const button = $('.next', form);
  const by = token();
  button.disabled = true;
  try {
    const values = await example(name);
    if (by !== token()) return; // the token has changed meanwhile
    $('.first', form).hidden = Boolean(values);
    if (values) fillIn(form, values);
    else for (const field of $$('[data-in]', form)) field.value = '';
    hint(form, values ? '' : 'Examples delete only what this page has inserted: insert something first.');
  } catch (e) {
    if (by === token()) hint(form, e instanceof Refused ? e.message : `No example: ${e.message}.`);
  } finally {
    button.disabled = false;
    form.dataset.filled = 'yes';
  }
}

async function submit(form) {
  const answer = await send(form);
  if (answer) noteAnswer(form, answer);
  if (answer?.status === 401 || answer?.status === 403) hint(form, 'This request needs a token with the right scope: paste one into the field at the top.');
  if (answer?.status === 201) hint(form, 'Created. The next example has another id.');
  return answer;
}

// insertFirst inserts something that the form can then delete.
async function insertFirst(form) {
  const insert = formOf(examples[form.dataset.name].undoes);
  await next(insert);
  const answer = await submit(insert);
  if (answer?.ok) await next(form);
  else hint(form, `${insert.dataset.name} did not succeed: its form shows why.`);
}

function choose(name) {
  choice.value = name;
  for (const panel of $$('.transaction')) panel.hidden = panel.id !== `try-${name}`;
  const form = formOf(name);
  // A delete gets a new example each time, because it can be sent once only; other forms keep what was edited.
  if (!form.dataset.filled || examples[name]?.undoes) next(form);
}

async function copy(form) {
  const button = $('.copy', form);
  const text = curl(form);
  try {
    await navigator.clipboard.writeText(text);
    hint(form, 'Copied.');
  } catch {
    // Without HTTPS there is no clipboard: show the text to copy by hand.
    const pre = $('.command', form) ?? element('pre', 'command');
    pre.textContent = text;
    pre.tabIndex = 0;
    $('.actions', form).after(pre);
  }
  button.focus();
}

for (const form of $$('.transaction form')) {
  form.addEventListener('submit', (event) => { event.preventDefault(); submit(form); });
  $('.next', form).addEventListener('click', () => next(form));
  $('.first', form).addEventListener('click', () => insertFirst(form));
  $('.copy', form).addEventListener('click', () => copy(form));
  $('textarea', form)?.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
choice.addEventListener('change', () => choose(choice.value));
for (const link of $$('[data-try]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    choose(link.dataset.try);
    $('#workbench').scrollIntoView();
    choice.focus({ preventScroll: true });
  });
}
// With a token, forms can be filled that could not be before.
$('#token').addEventListener('change', () => {
  for (const form of $$('.transaction form')) delete form.dataset.filled;
  next(formOf(choice.value));
});
choose(choice.value);
