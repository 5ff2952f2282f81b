// Runs a workload of loadtest/workloads against a running service:
//
//   k6 run -e WORKLOAD=mixed -e USERS=50 -e DURATION=60s --out json=k6.json.gz loadtest/brokerage.js
//   brokerage report k6.json.gz
//
// docs/k6.md describes the settings.
import exec from 'k6/execution';
import { sleep } from 'k6';
import { Gauge } from 'k6/metrics';
import { settings } from './lib/settings.js';
import { workload } from './lib/workload.js';
import { transactions } from './lib/registry.js';
import { describe, leaseIds } from './lib/service.js';
import { makeUser } from './lib/user.js';

const { users, ramp, duration, rate, steps, think } = settings;

const s = (seconds) => `${Math.round(1000 * seconds)}ms`;

// Requests time out after 30 s, so none is cut off at the end.
const whenDue = { exec: 'load', gracefulStop: '35s', startTime: s(ramp > 0 ? ramp + 2 : 0) };
const arriving = { ...whenDue, timeUnit: '1s', preAllocatedVUs: users, maxVUs: users };

function load() {
  if (steps.length > 0) {
    const stages = steps.flatMap((target) => [{ target, duration: '0s' }, { target, duration: s(duration / steps.length) }]);
    return { ...arriving, executor: 'ramping-arrival-rate', startRate: steps[0], stages };
  }
  if (rate > 0) return { ...arriving, executor: 'constant-arrival-rate', rate, duration: s(duration) };
  return { ...whenDue, executor: 'constant-vus', vus: users, duration: s(duration) };
}

// Users start during the first half of the warm-up, insert what they will delete, and stay for the load, which begins
// two seconds later, when k6 can use them again.
const warmup = {
  executor: 'ramping-vus',
  exec: 'warmup',
  startVUs: 0,
  stages: [{ target: users, duration: s(ramp / 2) }, { target: users, duration: s(ramp / 2) }],
  gracefulStop: '1s',
};

const times = (name) => `transaction_duration{scenario:load,name:${name}}`;

export const options = {
  scenarios: ramp > 0 ? { warmup, load: load() } : { load: load() },
  thresholds: {
    'http_req_failed{scenario:load}': ['rate<0.005'],
    checks: ['rate==1'],
    ...(rate > 0 ? { dropped_iterations: ['count==0'] } : {}),
    // k6's summary has a line for each transaction, also without a limit.
    ...Object.fromEntries(workload.mix.map(({ transaction }) => [times(transaction), settings.p99 > 0 ? [`p(99)<${settings.p99}`] : []])),
  },
  summaryTrendStats: ['count', 'avg', 'med', 'p(95)', 'p(99)', 'max'],
  systemTags: ['scenario', 'name', 'method', 'status', 'expected_response', 'error_code', 'check'],
  discardResponseBodies: true, // except where a request asks for the body
  noCookiesReset: true, // there are no cookies, and k6 would create a jar for each transaction
  userAgent: 'brokerage-k6/1',
};

// setup returns text, since k6 would convert an object at each access of each user.
export function setup() {
  const known = describe();
  const { engine, version, durability } = known.store;
  console.log(`${workload.name}: ${workload.mix.length} transactions on ${known.dataset.fingerprint} in ${engine} at ${settings.baseURL}`);
  return JSON.stringify({ known, leases: leaseIds(), run: run(known, { durability, version: String(version), ...known.settings }) });
}

// run returns what `brokerage report` needs of a run besides its samples, in the form of its result.
function run({ dataset, store, faithful, version }, storeSettings) {
  const { securities, customers, orders, fingerprint, scale, profile, seed } = dataset;
  const sum = workload.mix.reduce((all, { weight }) => all + weight, 0);
  return {
    tool: { name: 'k6', version: __ENV.LOADTEST_K6 || 'of an unknown version' }, // loadtest/k6 sets it, and the machine
    target: { kind: 'http', engine: store.engine, url: settings.baseURL, sameHost: /\/\/(localhost|127\.|\[::1\])/.test(settings.baseURL), version },
    workload: { name: workload.name, sha256: workload.sha256, validate: workload.validate, mix: workload.mix, ...(settings.weights === '' ? {} : { weights: settings.weights }) },
    model: {
      kind: rate > 0 ? 'open' : 'closed',
      users,
      everySeconds: steps.length > 0 ? duration / steps.length : Math.max(60, duration / 20),
      ...(rate > 0 ? { rate } : {}),
      ...(think.mean > 0 ? { think: think.text } : {}),
      ...(settings.consistency === 'primary' ? {} : { consistency: settings.consistency }),
    },
    ...(steps.length > 0 ? { steps } : {}),
    rampSeconds: ramp,
    durationSeconds: duration,
    seed: settings.seed,
    dataset: { fingerprint, scale: String(scale), profile, seed, securities: securities.count, customers: customers.count, orders: orders.count },
    settings: storeSettings,
    faithful,
    transactions: workload.mix.map(({ transaction, weight }) => ({ name: transaction, kind: transactions[transaction].kind, weight: weight / sum })),
  };
}

const measuredFrom = new Gauge('measured_from'); // milliseconds since 1970, once; its tags describe the run and the machine

let user = null;
let description = '';
let loading = false;

function enter(data) {
  const { run, ...known } = JSON.parse(data);
  description = JSON.stringify(run);
  user = makeUser(known);
}

// begin is a user's first step of the load.
function begin() {
  loading = true;
  if (exec.scenario.iterationInInstance === 0) {
    measuredFrom.add(exec.scenario.startTime, { run: description, machine: __ENV.LOADTEST_MACHINE || '' });
  }
  user.prepare();
}

export { warmUp as warmup, underLoad as load };

function warmUp(data) {
  if (user === null) enter(data);
  user.prepare();
  user.transact();
  sleep(rate > 0 ? Math.min(users / rate, 1) : user.pause());
}

function underLoad(data) {
  if (user === null) enter(data);
  if (!loading) begin();
  user.transact();
  if (think.mean > 0) sleep(user.pause());
}
