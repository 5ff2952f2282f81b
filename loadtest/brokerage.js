// Runs a workload of loadtest/workloads against a running service:
//
//   k6 run loadtest/brokerage.js -e WORKLOAD=mixed -e USERS=50 -e DURATION=60s
//
// docs/k6.md describes the settings and the result.
import exec from 'k6/execution';
import { sleep } from 'k6';
import { allUsers, faults, parts, settings } from './lib/settings.js';
import { workload } from './lib/workload.js';
import { profile } from './lib/templates.js';
import { Refusal, dataset, lease, mayReplace, requireAPI, version } from './lib/service.js';
import { quantileNames } from './lib/histogram.js';
import { gauges, thresholds, twoRequests } from './lib/metrics.js';
import { makeUser } from './lib/user.js';
import { graceSeconds, watch } from './lib/watch.js';
import { plain } from './lib/plain.js';
import { result } from './lib/result.js';
import { table, verdict } from './lib/table.js';
import { page } from './lib/page.js';

const { users, ramp, duration, rate, steps, every, think, part, startAt, measureAfter } = settings;

// Users start during the first half of the ramp, so that all of them have the other half to insert what they will
// delete.
const ramping = (total) => ({
  executor: 'ramping-vus',
  startVUs: parts, // so that the warm-up begins at once
  stages: [
    { duration: `${500 * ramp}ms`, target: users },
    { duration: `${1000 * (total - ramp / 2)}ms`, target: users },
  ],
  gracefulRampDown: '0s',
});

// Closed model: one scenario for ramp and measured time; each user knows when measuring begins.
const closed = { load: { ...ramping(ramp + duration), exec: 'closedUser', gracefulStop: `${graceSeconds}s` } };

// Open model: the arrivals reuse the users of the ramp once these have ended, so there is a second between the two.
const issuing = {
  exec: 'arrival',
  startTime: `${1000 * measureAfter}ms`,
  timeUnit: '1s',
  preAllocatedVUs: users,
  maxVUs: users,
  gracefulStop: `${graceSeconds}s`,
};
const arrivals =
  steps.length > 0
    ? { executor: 'ramping-arrival-rate', startRate: steps[0], stages: steps.flatMap((target) => [{ target, duration: '0s' }, { target, duration: `${1000 * every}ms` }]) }
    : { executor: 'constant-arrival-rate', duration: `${1000 * duration}ms`, rate };
const open = { ramp: { ...ramping(ramp), exec: 'rampUp', gracefulStop: '0s' }, arrivals: { ...arrivals, ...issuing } };

const watcher = {
  executor: 'per-vu-iterations',
  exec: 'watching',
  vus: parts,
  iterations: 1,
  maxDuration: `${1000 * (measureAfter + duration + graceSeconds + 20)}ms`,
  gracefulStop: '0s',
};

// With a fault in the settings, setup() reports it and ends the run; k6 still requires a scenario.
const scenarios =
  faults.length > 0
    ? { none: { executor: 'per-vu-iterations', exec: 'watching', vus: 1 } }
    : { watcher, ...(rate > 0 ? open : closed) };

// A part of the load is a segment of k6's, which then divides users and arrivals itself. k6-operator sets it for k6.
const segment = () => {
  const points = Array.from({ length: part.of + 1 }, (_, i) => (i === 0 ? '0' : i === part.of ? '1' : `${i}/${part.of}`));
  return { executionSegment: `${points[part.number - 1]}:${points[part.number]}`, executionSegmentSequence: points.join(',') };
};

const shown = ['count', 'min', 'max', 'avg', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'];

export const options = {
  ...(part !== null && part.number > 0 ? segment() : {}),
  scenarios,
  thresholds: faults.length > 0 ? {} : thresholds(),
  summaryTrendStats: [...new Set([...shown, ...quantileNames])], // the summary export has those that are shown
  discardResponseBodies: true, // except where a request asks for the body
  noCookiesReset: true, // there are no cookies, and k6 would create a jar for each transaction
  throw: true, // otherwise k6 would log each request that fails
  setupTimeout: `${120 + Math.min(3600, Math.max(0, Math.ceil((startAt - Date.now()) / 1000)))}s`,
  userAgent: 'brokerage-k6/1',
};

const idsForEach = 20000; // a user that needs more leases more, between two transactions
const maxLease = 1e7;

export function setup() {
  if (faults.length > 0) exec.test.abort(faults[0]);
  try {
    checkOptions(exec.test.options);
    if (!settings.allowInvalid) requireAPI();
    const data = { profile: profile(), version: version(), sha256: workload.sha256, dataset: dataset(), leases: {} };
    for (const kind of ['order', 'customer', 'account']) {
      const count = Math.min(idsForEach * allUsers, maxLease);
      data.leases[kind] = { first: lease(kind, count), count };
    }
    if (twoRequests) mayReplace();
    data.mark = Date.now();
    data.startAt = startAt || data.mark;
    if (startAt > 0 && startAt < data.mark) throw new Refusal('START_AT has passed');
    sleep((data.startAt - data.mark) / 1000);
    return data;
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    exec.test.abort(e.message);
  }
}

// checkOptions throws a Refusal if k6's own options prevent a result.
function checkOptions({ systemTags, executionSegment }) {
  const missing = ['check', 'group', 'name'].filter((tag) => systemTags && !systemTags.includes(tag));
  if (missing.length > 0) throw new Refusal(`the result needs the system tags check, group and name: --system-tags lacks ${missing.join(', ')}`);
  if (executionSegment && executionSegment !== '0:1' && part === null) throw new Refusal('this k6 has a part of the load (--execution-segment): set PART, such as PART=auto/4 for k6-operator with four');
}

let user = null;
let transact = null; // of the user, once it is ready
let pause = null;

function enter(data, after) {
  if (user === null) {
    user = makeUser(data, exec.scenario.startTime + 1000 * after);
    gauges.ramp_from.add(Date.now());
  }
  user.prepare();
  ({ transact, pause } = user);
}

export function closedUser(data) {
  if (transact === null) enter(data, measureAfter);
  transact();
  if (think.mean > 0) sleep(pause());
}

export function rampUp(data) {
  if (transact === null) enter(data, measureAfter);
  // No transaction is begun shortly before the end of the ramp, where k6 would cut it off.
  const left = ramp - (Date.now() - exec.scenario.startTime) / 1000;
  if (left < 0.25) sleep(1 + left);
  transact();
  sleep(Math.min(users / rate, 1));
}

export function arrival(data) {
  if (transact === null) enter(data, 0);
  transact();
}

export function watching(data) {
  watch(data);
}

// The default function runs only if k6's own options set users or duration, instead of the settings.
export default function instead() {
  exec.test.abort('--vus, --duration, --iterations and --stage are not for this script: set USERS, DURATION, RAMP or RATE with -e');
}

export function handleSummary(data) {
  if (data.metrics === undefined) {
    console.error('the script needs the figures of --summary-mode, without --new-machine-readable-summary');
    return {};
  }
  const run = result(data);
  if (run === null || !data.metrics.run_mark) return {}; // refused before any load, which was reported
  const files = { stdout: table(run) };
  if (settings.out !== 'none') {
    const name = settings.out === '' ? `k6-${workload.name}` : settings.out;
    files[`${name}.json`] = `${JSON.stringify(run, null, 1)}\n`;
    files[`${name}.html`] = page(run);
    files.stdout += `\nWritten: ${name}.json, ${name}.html\n`;
  }
  // loadtest/k6 has an exit code for INVALID, and checks that the files were written.
  if (__ENV.LOADTEST_WRITTEN) files[__ENV.LOADTEST_WRITTEN] = [verdict(run), ...Object.keys(files).slice(1), ''].join('\n');
  plain(data, shown); // k6 writes it with --summary-export
  return files;
}
