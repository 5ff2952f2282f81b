// The watcher is one more user, which prints a line every 5 s and records what k6 and the service use. Users of k6
// cannot see each other's figures, so the watcher reads them from k6's API.
import exec from 'k6/execution';
import http from 'k6/http';
import { sleep } from 'k6';
import { allName, countName, gauges, intervalCount, intervalTimesName, invalid } from './metrics.js';
import { result } from './result.js';
import { headers } from './service.js';
import { settings } from './settings.js';
import { grouped, ms } from './table.js';
import { workload } from './workload.js';

const tags = { name: 'beside the load' };
const api = `http://${settings.k6API}`;

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
    return JSON.parse(get(`${api}/v1/metrics/${encodeURIComponent(name)}`)).data.attributes.sample;
  } catch (_) {
    return null;
  }
}

// ours reports whether the API is that of this k6: whether it has the mark that this function sets. Another one on the
// machine may have taken the port first. A busy k6 needs seconds to collect a sample.
function ours(mark) {
  gauges.run_mark.add(mark);
  let silent = 0;
  for (let i = 0; i < 30 && silent < 5; i++) {
    sleep(0.3);
    const found = metric('run_mark');
    if (found === null) silent++;
    else if (found.value === mark) return true;
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
function conclude(data, seen, interrupted, to, listening) {
  while (exec.instance.vusActive > 1 && Date.now() < to + 1000 * (graceSeconds + 2)) sleep(0.1);
  gauges.interrupted.add(exec.instance.iterationsInterrupted - interrupted);
  if (!listening || !ours(data.mark + 1)) { // once the mark has arrived, so has everything that users have counted
    invalid.add(1);
    return;
  }
  const metrics = {};
  for (const { id, attributes } of JSON.parse(get(`${api}/v1/metrics`)).data) {
    const { sample } = attributes;
    metrics[id] = { values: { min: sample.value, max: sample.value, ...sample } };
  }
  const root = JSON.parse(get(`${api}/v1/groups`)).data.find(({ attributes }) => attributes.path === '');
  const run = result({ metrics, setup_data: { ...data, seen }, root_group: root.attributes });
  if (run.validity.reasons.length > 0) invalid.add(1);
}

// handOver passes what the watcher has seen to handleSummary, which has no other access to it: k6's API can replace the
// result of setup(). Users have read theirs before.
function handOver(data, seen) {
  try {
    http.put(`${api}/v1/setup`, JSON.stringify({ ...data, seen }), { tags, timeout: '5s' });
  } catch (_) {
    // the next one may succeed; without any, the result has no seconds
  }
}

// watchFrom records in seen, for each second, how many transactions have ended and how many arrivals were dropped and, for
// each interval, the processor time of k6.
function watchFrom(data, seen, from, listening) {
  const used = () => ({
    generator: listening ? processOf(get(`${api}/metrics`)) : {},
    service: processOf(get(settings.metricsURL, true)),
  });
  const before = used();
  if (before.generator.cores > 0) gauges.generator_cores.add(before.generator.cores);
  let counted = 0;
  let dropped = 0;
  let reported = { elapsed: 0, count: 0 };
  let ended = {};
  for (let elapsed = 0; elapsed < settings.duration; ) {
    elapsed = Math.min(elapsed + 1, settings.duration);
    sleepUntil(from + 1000 * elapsed);
    const iterations = listening ? metric('iterations{phase:measured}') : null;
    if (iterations !== null) {
      seen.perSecond.push(iterations.count - counted);
      counted = iterations.count;
    }
    if (settings.rate > 0 && listening) {
      const all = (metric('dropped_iterations') || { count: 0 }).count;
      seen.dropped.push(all - dropped);
      dropped = all;
    }
    const intervalEnds = intervalCount > 1 && elapsed >= settings.every * (seen.cpu.length + 1);
    if (elapsed < settings.duration && elapsed - reported.elapsed < reportSeconds && !intervalEnds) continue;
    const after = used(); // at each report, for runs that are interrupted
    for (const process of ['generator', 'service']) {
      keep(`${process}_cpu`, after[process].cpu - before[process].cpu);
      keep(`${process}_memory_before`, before[process].memory);
      keep(`${process}_memory_after`, after[process].memory);
    }
    if (intervalEnds) seen.cpu.push(after.generator.cpu - before.generator.cpu);
    if (listening) {
      handOver(data, seen);
      report(elapsed, counted - reported.count, elapsed - reported.elapsed);
      if (intervalEnds) ended = reportInterval(seen.cpu.length - 1, ended);
    }
    reported = { elapsed, count: counted };
  }
}

export function watch(data) {
  const from = exec.scenario.startTime + 1000 * settings.measureAfter;
  const to = from + 1000 * settings.duration;
  const listening = ours(data.mark);
  if (!listening) console.warn(`no reports during the run, nor k6's own processor time: k6 does not answer at ${settings.k6API} (K6_API names another place, --address sets it)`);
  sleepUntil(from);
  gauges.measured_from.add(from);
  const interrupted = exec.instance.iterationsInterrupted; // users that the end of the ramp has cut off
  const seen = { perSecond: [], dropped: [], cpu: [], users: exec.instance.vusInitialized - 1, instance: exec.vu.metrics.tags.instance_id };
  watchFrom(data, seen, from, listening);
  conclude(data, seen, interrupted, to, listening);
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

// reportInterval prints the statistics of an interval that has ended, by transaction. before and its result are how many
// of each have ended since measuring began.
function reportInterval(i, before) {
  const now = {};
  const seconds = Math.min(settings.every, settings.duration - i * settings.every);
  const from = i * settings.every;
  for (const { transaction } of workload.mix) {
    const times = metric(intervalTimesName(i, transaction));
    now[transaction] = (metric(countName(transaction)) || { count: 0 }).count;
    if (times === null) continue;
    const count = now[transaction] - (before[transaction] || 0);
    const each = ['med', 'p(90)', 'p(95)', 'max'].map((key) => ms(1000 * times[key]));
    console.log(`${from} to ${from + seconds} s  ${transaction}  ${grouped(count)} tx  ${(count / seconds).toFixed(1)}/s  p50 ${each[0]}  p90 ${each[1]}  p95 ${each[2]}  max ${each[3]} ms`);
  }
  return now;
}
