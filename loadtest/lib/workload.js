// The workload: one of loadtest/workloads/*.json by name, or another file.
import crypto from 'k6/crypto';
import { faults, fromHere, settings } from './settings.js';
import { transactions } from './registry.js';

const names = ['mixed', 'query', 'insert-orders', 'insert-customers', 'classic'];

// defaults are the values of what a file leaves out. brokerage drive reads the same file, so that both draw the same.
const defaults = JSON.parse(open(import.meta.resolve('../workloads/defaults.json')));

const fallback = { name: '', mix: [{ transaction: 'get_order', weight: 1 }] };

function read() {
  const given = settings.workload;
  const known = names.includes(given);
  if (!known && !/[/\\]|\.json$/.test(given)) {
    faults.push(`WORKLOAD is one of ${names.join(', ')}, or the path of a file, not "${given}"`);
    return '';
  }
  try {
    return open(known ? import.meta.resolve(`../workloads/${given}.json`) : fromHere(given));
  } catch (_) {
    faults.push(`WORKLOAD: the file ${given} does not exist or cannot be read`);
    return '';
  }
}

const isNumber = (x) => typeof x === 'number' && Number.isFinite(x);
const isCount = (x, most) => Number.isInteger(x) && x >= 0 && x <= most;
const isRange = (x) => Array.isArray(x) && x.length === 2 && isCount(x[0], 1e6) && isCount(x[1], 1e6) && x[0] <= x[1];

function faultOfMix(mix) {
  if (!Array.isArray(mix) || mix.length === 0) return 'has no mix';
  let sum = 0;
  const seen = {};
  for (const part of mix) {
    const { transaction, weight } = part || {};
    if (!Object.hasOwn(transactions, String(transaction))) return `has a transaction "${transaction}", which does not exist`;
    if (seen[transaction]) return `has ${transaction} twice`;
    seen[transaction] = true;
    if (!isNumber(weight) || weight < 0) return `gives ${transaction} the weight ${JSON.stringify(weight)}, which is not a number of at least 0`;
    sum += weight;
  }
  if (!(sum > 0)) return 'has weights that add up to 0';
  const weightOf = (transaction) => (mix.find((part) => part.transaction === transaction) || { weight: 0 }).weight;
  for (const { transaction } of mix) {
    const { source } = transactions[transaction];
    if (source && weightOf(transaction) > 0 && weightOf(source) === 0) return `has ${transaction} without ${source}, and would run out of documents to remove`;
  }
  return '';
}

const isShare = (x) => isNumber(x) && x >= 0 && x <= 1;

// fields are those of a distribution, with what each must be.
const fields = {
  uniform: {},
  sequential: {},
  zipf: { s: [(s) => isNumber(s) && s > 0 && s <= 10, 'above 0 and at most 10'] },
  normal: { deviation: [(d) => isShare(d) && d > 0, 'above 0 and at most 1'], mean: [(m) => m === undefined || isShare(m), 'from 0 to 1'] },
  'hot-set': { hot: [(h) => isShare(h) && h > 0 && h < 1, 'above 0 and below 1'], share: [(h) => isShare(h) && h > 0 && h < 1, 'above 0 and below 1'] },
};

function faultOfDraw({ distribution, ...given }) {
  const own = fields[distribution];
  if (own === undefined) return `"${distribution}", which is none of ${Object.keys(fields).join(', ')}`;
  for (const [name, [right, words]] of Object.entries(own)) {
    if (!right(given[name])) return `${distribution} without ${name} ${words}`;
  }
  const other = Object.keys(given).find((name) => own[name] === undefined);
  return other === undefined ? '' : `${distribution}, which has no ${other}`;
}

// faultOf returns what is wrong with a definition, or an empty string.
function faultOf(w) {
  if (w === null || typeof w !== 'object' || Array.isArray(w)) return 'is no object';
  for (const name of Object.keys(w)) {
    if (['values', 'transactions', 'setup'].includes(name)) return `has "${name}": transactions of one's own are for brokerage drive`;
    if (!['$schema', 'name', 'description', 'validate', 'draws', 'search', 'trades', 'updates', 'prepare', 'newDocuments', 'mix'].includes(name)) return `has "${name}", which is not known`;
  }
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(w.name)) return 'has a name that is not one to 64 lower-case letters, digits and hyphens';
  if (w.validate !== undefined && typeof w.validate !== 'boolean') return 'has a "validate" that is neither true nor false';
  if (w.newDocuments === 'shared') return 'has "newDocuments": "shared": users of k6 share no memory, so this is for brokerage drive';
  if (w.newDocuments !== undefined && w.newDocuments !== 'own') return 'has "newDocuments" that are neither "own" nor "shared"';
  const fault = faultOfMix(w.mix);
  if (fault !== '') return fault;
  for (const [what, draw] of Object.entries(w.draws || {})) {
    if (!['order', 'customer', 'security'].includes(what)) return `has a draw of "${what}", which is not known`;
    const fault = faultOfDraw(draw || {});
    if (fault !== '') return `draws ${what} by ${fault}`;
  }
  for (const name of Object.keys(w.search || {})) {
    if (!['peMin', 'peMax', 'yieldMin'].includes(name) || !isRange(w.search[name])) return `has a search "${name}" that is not [from, to]`;
  }
  const { sell = {}, buy = {} } = w.trades || {};
  for (const [side, { quantity, held }] of Object.entries({ sell, buy })) {
    if (quantity !== undefined && !(isRange(quantity) && quantity[0] > 0)) return `has a quantity to ${side} that is not [from, to] above 0`;
    if (held !== undefined && !(isNumber(held) && held >= 0 && held <= 1)) return 'has a "held" that is not from 0 to 1';
  }
  const { price, status } = w.updates || {};
  if (price !== undefined && !(isRange(price) && price[0] > 0)) return 'has a price to update that is not [from, to] above 0, in hundredths';
  if (status !== undefined && !(Array.isArray(status) && status.length > 0 && status.every((s) => /^[0-46-9A-E]$/.test(s)))) return 'has a status to update that is no list of codes of OrdStatus';
  const { orders = 0, customers = 0 } = w.prepare || {};
  if (!isCount(orders, 1e5) || !isCount(customers, 1e5)) return 'prepares what is not from 0 to 100000';
  return '';
}

function parse(json) {
  let definition;
  try {
    definition = JSON.parse(json);
  } catch (e) {
    faults.push(`WORKLOAD: ${settings.workload} is not JSON: ${e.message}`);
    return fallback;
  }
  const fault = faultOf(definition);
  if (fault === '') return definition;
  faults.push(`WORKLOAD: ${settings.workload} ${fault}`);
  return fallback;
}

const json = read();
const isObject = (x) => x !== null && typeof x === 'object' && !Array.isArray(x);
const over = (base, own) => (isObject(base) && isObject(own) ? Object.fromEntries([...new Set([...Object.keys(base), ...Object.keys(own)])].map((name) => [name, over(base[name], own[name])])) : own === undefined ? base : own);
const definition = over(defaults, json === '' ? fallback : parse(json));

// weighted returns the mix of WEIGHTS, such as get_order=30,buy_security=5. Other transactions do not run.
function weighted(text) {
  const mix = text.split(',').map((one) => {
    const [, transaction, weight] = /^\s*(\w+)=(\d+(?:\.\d+)?)$/.exec(one) || [];
    if (transaction === undefined) faults.push(`WEIGHTS: "${one}" is not a transaction and its weight, such as get_order=30`);
    return { transaction, weight: Number(weight) };
  });
  const known = mix.every(({ transaction }) => transaction === undefined || Object.hasOwn(transactions, transaction));
  const fault = known ? faultOfMix(mix) : `has a transaction that does not exist; there are ${Object.keys(transactions).join(', ')}`;
  if (fault === '') return mix;
  faults.push(`WEIGHTS: ${settings.weights} ${fault}`);
  return fallback.mix;
}

// The mix in the order of the registry, without transactions of weight 0, with shares of 1.
const order = Object.keys(transactions);
const given = settings.weights === '' ? definition.mix : weighted(settings.weights);
const sum = given.reduce((all, part) => all + part.weight, 0);
const mix = given
  .filter((part) => part.weight > 0)
  .sort((a, b) => order.indexOf(a.transaction) - order.indexOf(b.transaction))
  .map(({ transaction, weight }) => ({ transaction, weight, share: weight / sum }));

export const workload = {
  name: definition.name,
  sha256: __VU === 0 ? crypto.sha256(json, 'hex') : '',
  validate: definition.validate,
  draws: definition.draws,
  search: definition.search || {},
  trades: definition.trades,
  updates: definition.updates,
  prepare: definition.prepare,
  mix,
};
