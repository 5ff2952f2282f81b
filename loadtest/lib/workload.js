// The workload: one of loadtest/workloads/*.json by name, or a file of the same form. `brokerage drive` checks all of
// such a file; the script checks the mix.
import crypto from 'k6/crypto';
import { fromHere, refuse, settings } from './settings.js';
import { transactions } from './registry.js';

const names = ['mixed', 'query', 'insert-orders', 'insert-customers', 'classic'];

// defaults are the values of what a file leaves out, also for brokerage drive.
const defaults = JSON.parse(open(import.meta.resolve('../workloads/defaults.json')));

function read(given) {
  const known = names.includes(given);
  if (!known && !/[/\\]|\.json$/.test(given)) refuse(`WORKLOAD is one of ${names.join(', ')}, or the path of a file, not "${given}"`);
  try {
    return open(known ? import.meta.resolve(`../workloads/${given}.json`) : fromHere(given));
  } catch (_) {
    return refuse(`WORKLOAD: the file ${given} does not exist or cannot be read`);
  }
}

function parse(json) {
  try {
    return JSON.parse(json);
  } catch (e) {
    return refuse(`WORKLOAD: ${settings.workload} is not JSON: ${e.message}`);
  }
}

const isObject = (x) => x !== null && typeof x === 'object' && !Array.isArray(x);
const over = (base, own) => {
  if (!isObject(base) || !isObject(own)) return own === undefined ? base : own;
  return Object.fromEntries(Object.keys({ ...base, ...own }).map((name) => [name, over(base[name], own[name])]));
};

// weighted returns the mix of WEIGHTS, such as get_order=30,buy_security=5. Other transactions do not run.
const weighted = (text) =>
  text.split(',').map((one) => {
    const [, transaction, weight] = /^\s*(\w+)=(\d+(?:\.\d+)?)$/.exec(one) || [];
    if (transaction === undefined) refuse(`WEIGHTS: "${one}" is not a transaction and its weight, such as get_order=30`);
    return { transaction, weight: Number(weight) };
  });

// checked returns the mix without transactions of weight 0, in the order of the registry.
function checked(mix, where) {
  for (const { transaction, weight } of mix) {
    if (!Object.hasOwn(transactions, transaction)) refuse(`${where}: there is no transaction "${transaction}" for k6`);
    if (!Number.isFinite(weight) || weight < 0) refuse(`${where}: the weight of ${transaction} is not a number of at least 0`);
  }
  const positive = mix.filter((part) => part.weight > 0);
  const has = (name) => positive.some((part) => part.transaction === name);
  if (positive.length === 0) refuse(`${where}: the weights add up to 0`);
  for (const { transaction } of positive) {
    const { source } = transactions[transaction];
    if (source && !has(source)) refuse(`${where}: ${transaction} without ${source} would run out of documents to remove`);
  }
  return Object.keys(transactions).filter(has).map((name) => positive.find((part) => part.transaction === name));
}

const json = read(settings.workload);
const definition = over(defaults, parse(json));
if (!Array.isArray(definition.mix)) refuse(`WORKLOAD: ${settings.workload} has no mix`);
if (definition.newDocuments !== 'own') refuse(`WORKLOAD: ${settings.workload} shares new documents, which k6 does not support`);
if (definition.transactions) refuse(`WORKLOAD: ${settings.workload} has transactions of its own, which are for brokerage drive`);

export const workload = {
  ...definition,
  mix: settings.weights === '' ? checked(definition.mix, `WORKLOAD ${settings.workload}`) : checked(weighted(settings.weights), 'WEIGHTS'),
  sha256: crypto.sha256(json, 'hex'),
};
