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

const mostIntervals = 100; // each has a sub-metric for every transaction

const units = { ms: 0.001, s: 1, m: 60, h: 3600 };

// timeOf reads 90s, 1m30s, 500ms or 0 as seconds, and returns NaN for anything else. Other numbers need a unit.
function timeOf(given) {
  if (given === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(given)) return NaN;
  let sum = 0;
  for (const [, amount, unit] of given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) sum += Number(amount) * units[unit];
  return sum;
}

function seconds(name, byDefault, least) {
  const given = text(name, byDefault);
  const time = timeOf(given);
  if (time >= least) return time;
  faults.push(`${name} is a time of at least ${least}s, such as 90s or 1m30s, not "${given}"`);
  return timeOf(byDefault);
}

// thinkTime reads the pause of a user: a time, or a distribution of times, as brokerage drive does. Its draw(random)
// returns seconds.
function thinkTime(name) {
  const given = text(name, '0');
  const [, kind, rest] = /^(?:(exponential|normal):)?(.*)$/.exec(given);
  const parts = (kind === undefined ? rest.split('..') : rest.split(',')).map(timeOf);
  const [first, second] = parts;
  const uniform = kind === undefined && parts.length === 2;
  const wanted = kind === 'normal' || uniform ? 2 : 1;
  if (parts.length !== wanted || parts.some(Number.isNaN) || (kind === 'exponential' && first === 0) || (uniform && first > second)) {
    faults.push(`${name} is a time such as 100ms, or 50ms..150ms, exponential:100ms or normal:100ms,20ms, not "${given}"`);
    return { text: '0', fixed: true, mean: 0, draw: () => 0 };
  }
  if (uniform) return { text: given, fixed: false, mean: (first + second) / 2, draw: ({ next }) => first + next() * (second - first) };
  if (kind === 'exponential') return { text: given, fixed: false, mean: first, draw: ({ next }) => -first * Math.log(1 - next()) };
  if (kind === 'normal') return { text: given, fixed: false, mean: first, draw: ({ normal }) => atLeast0(() => first + second * normal()) };
  return { text: given, fixed: true, mean: first, draw: () => first };
}

// atLeast0 draws again what is below 0.
function atLeast0(draw) {
  for (;;) {
    const x = draw();
    if (x >= 0) return x;
  }
}

// rates reads the arrivals a second of several steps, such as 500,1000,2000.
function rates(name) {
  const given = text(name, '');
  if (given === '') return [];
  const list = given.split(',').map((one) => (/^\d+$/.test(one) ? Number(one) : NaN));
  if (list.length <= mostIntervals && list.every((one, i) => one >= 1 && one <= 1e6 && (i === 0 || one > list[i - 1]))) return list;
  faults.push(`${name} are at most ${mostIntervals} ascending whole numbers of arrivals a second, such as 500,1000,2000, not "${given}"`);
  return [];
}

// partOf reads which part of the load this k6 issues: 2/4, or 1+1/4 from an index that begins with 0, or auto/4, where
// k6-operator numbers the parts; the number is 0 then.
function partOf(name) {
  const given = text(name, '');
  if (given === '') return null;
  const [, index = 0, number, of] = /^(?:(\d{1,3})\+)?(\d{1,3}|auto)\/(\d{1,3})$/.exec(given) || [];
  const part = { number: number === 'auto' ? 0 : Number(index) + Number(number), of: Number(of) };
  if (part.of >= 1 && part.number <= part.of && (number === 'auto' || part.number >= 1)) return part.of === 1 ? null : part;
  faults.push(`${name} is a part of the load such as 2/4, or auto/4 with k6-operator, not "${given}"`);
  return null;
}

function moment(name) {
  const given = text(name, '');
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(given) ? Date.parse(given) : NaN;
  if (given === '' || !Number.isNaN(time)) return given === '' ? 0 : time;
  faults.push(`${name} is a time such as 2026-01-31T15:04:05Z, not "${given}"`);
  return 0;
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
const steps = rates('STEPS');
const every = seconds('EVERY', '60s', 1);
const ofStep = seconds('DURATION', '60s', 1);
const duration = ofStep * Math.max(1, steps.length);
// The rate of several steps is their mean.
const rate = number('RATE', 0, { most: 1e6, whole: true }) || steps.reduce((sum, one) => sum + one, 0) / (steps.length || 1);

export const settings = {
  workload: text('WORKLOAD', 'mixed'),
  users: number('USERS', 50, { least: 1, most: 100000, whole: true }),
  duration,
  ramp: seconds('RAMP', '20s', 1),
  think: thinkTime('THINK'),
  rate, // 0: the closed model
  steps, // arrivals a second, one after the other
  every: steps.length > 0 ? ofStep : every,
  weights: text('WEIGHTS', ''), // '': those of the workload
  part: partOf('PART'), // null: the whole load
  startAt: moment('START_AT'), // ms since 1970; 0: at once
  seed: number('SEED', 1, { most: 0xffffffff, whole: true }),
  consistency: consistency(),
  p99: number('P99', 0), // milliseconds; 0: no bound
  baseURL,
  metricsURL: address('METRICS_URL', `${baseURL}/metrics`),
  token: text('TOKEN', ''),
  templates: text('TEMPLATES', ''),
  out: text('OUT', ''), // '': named after the workload; none: no files
  k6API: text('K6_API', __ENV.K6_ADDRESS || 'localhost:6565').replace(/^(0\.0\.0\.0|\[::\])?:/, 'localhost:'),
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

// parts is the number of k6s that share the load; each has a watcher, which k6 counts as a user.
export const parts = settings.part === null ? 1 : settings.part.of;
export const allUsers = settings.users + parts;

// measureAfter is when measuring begins: after the ramp and, in the open model, a second for k6 to reuse its users.
settings.measureAfter = settings.ramp + (rate > 0 ? 1 : 0);

if (settings.duration / settings.every > mostIntervals) faults.push(`EVERY: a run has at most ${mostIntervals} intervals; set EVERY to at least ${Math.ceil(settings.duration / mostIntervals)}s`);
if (steps.length > 0 && __ENV.RATE && __ENV.RATE !== '0') faults.push('STEPS and RATE: set one of them');
if (settings.part !== null && settings.users < settings.part.of) faults.push(`PART: ${settings.users} users cannot be shared by ${settings.part.of}`);
if (settings.part !== null && settings.part.number > 0 && settings.startAt === 0) faults.push('PART needs START_AT, the same for all parts, at which they begin');
if (settings.startAt - Date.now() > 3600e3) faults.push('START_AT is more than an hour away');
if (__ENV.K6_NEW_MACHINE_READABLE_SUMMARY) faults.push('K6_NEW_MACHINE_READABLE_SUMMARY leaves out the figures that the result is made of');
if (rate > 0 && settings.think.mean > 0) {
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
