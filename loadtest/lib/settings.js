// The settings of a run, given with -e NAME=value; docs/k6.md has their table. A wrong one ends k6 with one line.
import exec from 'k6/execution';

export const refuse = (message) => exec.test.abort(message);

const text = (name, byDefault) => __ENV[name] || byDefault;

function number(name, byDefault, least, most) {
  const given = text(name, String(byDefault));
  if (/^\d{1,9}$/.test(given) && Number(given) >= least && Number(given) <= most) return Number(given);
  return refuse(`${name} is a whole number from ${least} to ${most}, not "${given}"`);
}

// timeOf reads 90s, 1m30s, 500ms or 0 as seconds; NaN is anything else.
function timeOf(given) {
  if (given === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(given)) return NaN;
  const units = { ms: 0.001, s: 1, m: 60, h: 3600 };
  return [...given.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, amount, unit]) => sum + amount * units[unit], 0);
}

function seconds(name, byDefault, least) {
  const given = text(name, byDefault);
  const time = timeOf(given);
  return time >= least ? time : refuse(`${name} is a time of at least ${least}s, such as 90s or 1m30s, not "${given}"`);
}

// thinkTime returns the pause of a user between two transactions: its mean in seconds, and a function that draws one.
function thinkTime(name) {
  const given = text(name, '0');
  const [, exponential, rest] = /^(exponential:)?(.*)$/.exec(given);
  const mean = timeOf(rest);
  if (exponential && mean > 0) return { text: given, mean, draw: ({ next }) => -mean * Math.log(1 - next()) };
  if (!exponential && mean >= 0) return { text: given, mean, draw: () => mean };
  return refuse(`${name} is a time such as 100ms, or exponential:100ms, not "${given}"`);
}

// rates reads the arrivals a second of several steps.
function rates(name) {
  const given = text(name, '');
  const list = given.split(',').map(Number);
  if (given === '' || list.every((rate) => Number.isInteger(rate) && rate >= 1 && rate <= 1e6)) return given === '' ? [] : list;
  return refuse(`${name} are whole numbers of arrivals a second, such as 500,1000,2000, not "${given}"`);
}

function matching(name, byDefault, form, words) {
  const given = text(name, byDefault);
  return form.test(given) ? given : refuse(`${name} is ${words}, not "${given}"`);
}

const steps = rates('STEPS');
const rate = number('RATE', 0, 0, 1e6);
if (steps.length > 0 && rate > 0) refuse('STEPS and RATE: set one of them');

export const settings = {
  baseURL: matching('BASE_URL', 'http://127.0.0.1:8080', /^https?:\/\/[^\s/?#@]+$/, 'a URL such as http://127.0.0.1:8080'),
  token: text('TOKEN', ''),
  workload: text('WORKLOAD', 'mixed'),
  weights: text('WEIGHTS', ''), // '': those of the workload
  users: number('USERS', 50, 1, 100000),
  ramp: seconds('RAMP', '20s', 0),
  duration: seconds('DURATION', '60s', 1) * Math.max(1, steps.length),
  think: thinkTime('THINK'),
  rate: rate || steps.reduce((sum, one) => sum + one, 0) / Math.max(1, steps.length), // 0: the closed model
  steps,
  p99: number('P99', 0, 0, 1e6), // milliseconds; 0: no limit
  seed: number('SEED', 1, 0, 999999999),
  consistency: matching('CONSISTENCY', 'primary', /^(primary|token|stale=\d{1,9}(ms|s))$/, 'primary, token, or stale=2s'),
};
if (settings.rate > 0 && settings.think.mean > 0) refuse('THINK is for the closed model: with RATE or STEPS, transactions start when they are due');

// fromHere returns a path relative to the working directory; k6 takes one relative to the script.
export const fromHere = (path) => (path.startsWith('/') ? path : `${__ENV.PWD || '.'}/${path}`);
