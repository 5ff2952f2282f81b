// The watcher is one more user, which prints a line every 5 s and records what k6 and the service use. Users of k6
// cannot see each other's figures, so the watcher reads them from k6's API.
import exec from 'k6/execution';
import http from 'k6/http';
import { sleep } from 'k6';
import { allName, gauges, invalid, sliceCount, sliceSeconds, slices } from './metrics.js';
import { result } from './result.js';
import { headers } from './service.js';
import { settings } from './settings.js';
import { grouped, ms } from './table.js';

const tags = { name: 'beside the load' };

function get(url, withToken) {
  try {
    const res = http.get(url, { headers: withToken ? headers : {}, responseType: 'text', tags, timeout: '5s' });
    return res.status === 200 ? res.body : '';
  } catch (_) {
    return '';
  }
}

// processOf reads processor time and memory from metrics in Prometheus's format.
function processOf(metrics) {
  const value = (name) => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics);
    return found === null ? NaN : Number(found[1]);
  };
  return { cpu: value('process_cpu_seconds_total'), memory: value('process_resident_memory_bytes'), cores: value('go_sched_gomaxprocs_threads') };
}

// metric returns a metric of this run from k6's API, or null.
function metric(name) {
  try {
    return JSON.parse(get(`http://${settings.k6API}/v1/metrics/${encodeURIComponent(name)}`)).data.attributes.sample;
  } catch (_) {
    return null;
  }
}

// ours reports whether the API is that of this k6. Another one on the machine may have taken the port first.
function ours(mark) {
  gauges.run_mark.add(mark);
  for (let i = 0; i < 5; i++) {
    sleep(0.3); // k6 collects samples several times a second
    const found = metric('run_mark');
    if (found !== null) return found.value === mark;
  }
  return false;
}

const reportSeconds = 5; // between two lines

const sleepUntil = (time) => {
  const left = (time - Date.now()) / 1000;
  if (left > 0) sleep(left);
};

// graceSeconds is how long transactions in progress at the end may take before k6 cuts them off.
export const graceSeconds = 10;

// conclude waits until all users have ended, and exceeds the threshold of the metric `invalid` if the run is invalid,
// which is the only way to set k6's exit code. It computes the result from k6's API; handleSummary computes it again
// from the same figures. Without the API the run is INVALID, because its processor time is unknown.
function conclude(data, interrupted, to, listening) {
  while (exec.instance.vusActive > 1 && Date.now() < to + 1000 * (graceSeconds + 2)) sleep(0.1);
  gauges.interrupted.add(exec.instance.iterationsInterrupted - interrupted);
  if (!listening || !ours(data.mark + 1)) { // once the mark has arrived, so has everything that users have counted
    invalid.add(1);
    return;
  }
  const metrics = {};
  for (const { id, attributes } of JSON.parse(get(`http://${settings.k6API}/v1/metrics`)).data) {
    const { sample } = attributes;
    metrics[id] = { values: { min: sample.value, max: sample.value, ...sample } };
  }
  if (result({ metrics, setup_data: data }).validity.reasons.length > 0) invalid.add(1);
}

export function watch(data) {
  const { mark } = data;
  const from = exec.scenario.startTime + 1000 * settings.measureAfter;
  const to = from + 1000 * settings.duration;
  const listening = ours(mark);
  if (!listening) console.warn(`no reports during the run, nor k6's own processor time: k6 does not answer at ${settings.k6API} (K6_API names another place, --address sets it)`);
  const used = () => ({
    generator: listening ? processOf(get(`http://${settings.k6API}/metrics`)) : {},
    service: processOf(get(settings.metricsURL, true)),
  });

  sleepUntil(from);
  gauges.measured_from.add(from);
  const interrupted = exec.instance.iterationsInterrupted; // users that the end of the ramp has cut off
  const before = used();
  if (before.generator.cores > 0) gauges.generator_cores.add(before.generator.cores);
  let counted = 0;
  let reported = { elapsed: 0, count: 0 };
  for (let slice = 0; slice < sliceCount; slice++) {
    const elapsed = Math.min(sliceSeconds * (slice + 1), settings.duration);
    sleepUntil(from + 1000 * elapsed);
    const iterations = listening ? metric('iterations{phase:measured}') : null;
    if (iterations !== null) {
      slices[slice].add(iterations.count - counted);
      counted = iterations.count;
    }
    if (elapsed < settings.duration && elapsed - reported.elapsed < reportSeconds) continue;
    const after = used(); // at each report, for runs that are interrupted
    for (const process of ['generator', 'service']) {
      keep(`${process}_cpu`, after[process].cpu - before[process].cpu);
      keep(`${process}_memory_before`, before[process].memory);
      keep(`${process}_memory_after`, after[process].memory);
    }
    if (listening) {
      report(elapsed, counted - reported.count, elapsed - reported.elapsed);
    }
    reported = { elapsed, count: counted };
  }
  conclude(data, interrupted, to, listening);
}

function keep(name, value) {
  if (value >= 0) gauges[name].add(value);
}

// report prints the rate since the last report, and the times since measuring began. They are those of k6's API; the
// table at the end also has p99 and p99.9.
function report(elapsed, count, seconds) {
  const times = metric(allName);
  if (times === null) return;
  const each = ['med', 'p(90)', 'p(95)', 'max'].map((key) => ms(1000 * times[key]));
  console.log(`${elapsed} s  ${grouped(count)} tx  ${grouped(count / seconds)}/s  so far p50 ${each[0]}  p90 ${each[1]}  p95 ${each[2]}  max ${each[3]} ms`);
}
