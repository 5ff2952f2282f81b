// The settings of a run (-e), read and checked once. Nothing here throws, because k6 would print a stack trace; faults
// are collected, and setup() ends the run with the first of them, on one line.

export const faults = [];

const known = []; // the names of all settings

function text(name, byDefault) {
  if (name !== '') known.push(name);
  const value = __ENV[name];
  return value === undefined || value === '' ? byDefault : value;
}

function number(name, byDefault, { least = 0, most = Infinity, whole = false } = {}) {
  const given = text(name, String(byDefault));
  const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : NaN;
  if (Number.isNaN(value) || value < least || value > most || (whole && !Number.isInteger(value))) {
    faults.push(`${name} is ${whole ? 'a whole number' : 'a number'} ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}, not "${given}"`);
    return byDefault;
  }
  return value;
}

const units = { ms: 0.001, s: 1, m: 60, h: 3600 };

// seconds reads 90s, 1m30s, 500ms or 0. Other numbers need a unit.
function seconds(name, byDefault, least) {
  const given = text(name, byDefault);
  let sum = NaN;
  if (given === '0') {
    sum = 0;
  } else if (/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(given)) {
    sum = 0;
    for (const [, amount, unit] of given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
      sum += Number(amount) * units[unit];
    }
  }
  if (Number.isNaN(sum) || sum < least) {
    faults.push(`${name} is a time of at least ${least}s, such as 90s or 1m30s, not "${given}"`);
    return seconds('', byDefault, 0);
  }
  return sum;
}

function yes(name) {
  const given = text(name, 'no');
  if (given !== 'yes' && given !== 'no') faults.push(`${name} is yes or no, not "${given}"`);
  return given === 'yes';
}

function address(name, byDefault) {
  const given = text(name, byDefault);
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(given)) {
    faults.push(`${name} is a URL such as ${byDefault}, without user, password or parameters`);
    return byDefault;
  }
  return given.replace(/\/+$/, '');
}

// consistency is which servers of a service with replicas may answer queries; '' is the primary.
function consistency() {
  const given = text('CONSISTENCY', 'primary');
  if (given === 'primary' || /^(token|stale=[0-9]{1,9}(ms|s))$/.test(given)) return given === 'primary' ? '' : given;
  faults.push(`CONSISTENCY is primary, token, or stale=TIME with a time such as 2s or 500ms, not "${given}"`);
  return '';
}

const baseURL = address('BASE_URL', 'http://127.0.0.1:8080');
const rate = number('RATE', 0, { most: 1e6, whole: true });

export const settings = {
  workload: text('WORKLOAD', 'mixed'),
  users: number('USERS', 50, { least: 1, most: 100000, whole: true }),
  duration: seconds('DURATION', '60s', 1),
  ramp: seconds('RAMP', '20s', 1),
  think: seconds('THINK', '0', 0),
  rate, // 0: the closed model
  every: seconds('EVERY', '60s', 1),
  seed: number('SEED', 1, { most: 0xffffffff, whole: true }),
  consistency: consistency(),
  p99: number('P99', 0), // milliseconds; 0: no bound
  baseURL,
  metricsURL: address('METRICS_URL', `${baseURL}/metrics`),
  token: text('TOKEN', ''),
  templates: text('TEMPLATES', ''),
  out: text('OUT', ''), // '': named after the workload; none: no files
  k6API: text('K6_API', 'localhost:6565'),
  allowInvalid: yes('ALLOW_INVALID'), // then k6 ends with 0 although the run is INVALID
};

// An unknown setting is a fault, because the run would be another than was meant. loadtest/k6 passes the names that
// were set with -e. k6 alone mixes them with the environment, where only names similar to a setting are faults.
const own = (name) => known.includes(name);
const given = (__ENV.LOADTEST_GIVEN || '').split(' ').filter((name) => name !== '');
const similar = Object.keys(__ENV).filter((name) => !own(name) && name !== 'USER' && known.some((setting) => alike(name, setting)));
for (const name of new Set([...given.filter((name) => !own(name)), ...similar])) {
  faults.unshift(`there is no setting ${name}: there are ${known.join(', ')}`);
}

// alike reports whether two names differ in case or by an S at the end or, if they have at least six letters, by one
// letter.
function alike(a, b) {
  const [x, y] = [a.toUpperCase(), b];
  if (x === y || x === `${y}S` || `${x}S` === y) return true;
  if (Math.abs(x.length - y.length) > 1 || y.length < 6) return false;
  let i = 0;
  while (i < x.length && x[i] === y[i]) i++;
  return [x.slice(i + 1) === y.slice(i + 1), x.slice(i + 1) === y.slice(i), x.slice(i) === y.slice(i + 1)].includes(true);
}

// k6's own variables for users and times would not run this load.
for (const name of ['K6_VUS', 'K6_DURATION', 'K6_ITERATIONS', 'K6_STAGES']) {
  if (__ENV[name]) faults.unshift(`${name} has no effect in this script: set USERS, DURATION, RAMP or RATE`);
}

// measureAfter is when measuring begins: after the ramp and, in the open model, a second for k6 to reuse its users.
settings.measureAfter = settings.ramp + (rate > 0 ? 1 : 0);

if (rate > 0 && settings.think > 0) {
  faults.push('THINK is for the closed model: with RATE, transactions come when they are due');
}

// fromHere makes a path absolute. k6 would resolve it relative to the script instead of the working directory.
export function fromHere(path) {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) ? path : `${__ENV.PWD || '.'}/${path}`;
}

// The folder of the result must exist before the load. Only loadtest/k6 can check that it is writable.
const folder = settings.out.replace(/[^/]*$/, '');
if (folder !== '' && __VU === 0) {
  try {
    open(fromHere(folder));
  } catch (e) {
    if (/no such file|cannot find/.test(e.message)) faults.push(`OUT: there is no folder ${folder}`);
  }
}
