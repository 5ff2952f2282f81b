// What a run is asked to do: the -e settings, read and checked once. Nothing
// here throws, for k6 would answer an exception with a stack trace; faults are
// kept, and setup() ends the run with the first of them, on one line.

export const faults = [];

function text(name, byDefault) {
  const value = __ENV[name];
  return value === undefined || value === '' ? byDefault : value;
}

function number(name, byDefault, { least = 0, most = Infinity, whole = false } = {}) {
  const given = text(name, String(byDefault));
  const value = Number(given);
  if (given.trim() === '' || Number.isNaN(value) || value < least || value > most || (whole && !Number.isInteger(value))) {
    faults.push(`${name} is ${whole ? 'a whole number' : 'a number'} ${most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`}, not "${given}"`);
    return byDefault;
  }
  return value;
}

const units = { ms: 0.001, s: 1, m: 60, h: 3600 };

// seconds reads 90, 90s, 1m30s or 500ms.
function seconds(name, byDefault, least) {
  const given = text(name, byDefault);
  let sum = NaN;
  if (/^\d+(\.\d+)?$/.test(given)) {
    sum = Number(given);
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

function address(name, byDefault) {
  const given = text(name, byDefault);
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(given)) {
    faults.push(`${name} is a URL such as ${byDefault}, without user, password or parameters`);
    return byDefault;
  }
  return given.replace(/\/+$/, '');
}

const baseURL = address('BASE_URL', 'http://127.0.0.1:8080');
const rate = number('RATE', 0, { most: 1e6, whole: true });

export const settings = {
  workload: text('WORKLOAD', 'mixed'),
  users: number('USERS', 50, { least: 1, most: 100000, whole: true }),
  duration: seconds('DURATION', '60s', 1),
  ramp: seconds('RAMP', '10s', 1),
  think: seconds('THINK', '0', 0),
  rate, // 0: the closed model
  every: seconds('EVERY', '60s', 1),
  seed: number('SEED', 1, { most: 0xffffffff, whole: true }),
  p99: number('P99', 0), // milliseconds; 0: no bound
  baseURL,
  metricsURL: address('METRICS_URL', `${baseURL}/metrics`),
  token: text('TOKEN', ''),
  templates: text('TEMPLATES', ''),
  out: text('OUT', ''), // '': named after the workload; none: no files
  k6API: text('K6_API', 'localhost:6565'),
};

// measureAfter is when it begins to count: after the ramp and, in the open model,
// the second that k6 needs to hand its users on.
settings.measureAfter = settings.ramp + (rate > 0 ? 1 : 0);

if (rate > 0 && settings.think > 0) {
  faults.push('THINK is for the closed model: with RATE, transactions come when they are due');
}

// fromHere makes a path of the user's absolute: k6 would look for it beside the
// script, and everybody else looks for it where the command was given.
export function fromHere(path) {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) ? path : `${__ENV.PWD || '.'}/${path}`;
}
