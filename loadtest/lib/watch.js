// A line every 5 s, and what k6 and the service used. Users of k6 cannot
// see each other's figures, and k6 calls a script back only at the end; but it
// serves its own metrics while it runs, and one more user reads them there.
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

// processOf reads processor time and memory from metrics in Prometheus' form.
function processOf(metrics) {
  const value = (name) => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics);
    return found === null ? NaN : Number(found[1]);
  };
  return { cpu: value('process_cpu_seconds_total'), memory: value('process_resident_memory_bytes'), cores: value('go_sched_gomaxprocs_threads') };
}

// metric asks k6 for a metric of this run.
function metric(name) {
  try {
    return JSON.parse(get(`http://${settings.k6API}/v1/metrics/${encodeURIComponent(name)}`)).data.attributes.sample;
  } catch (_) {
    return null;
  }
}

// ours tells whether it is this k6 that answers there: another that runs on the
// machine has the port if it came first, and its figures are not ours.
function ours(mark) {
  gauges.run_mark.add(mark);
  for (let i = 0; i < 5; i++) {
    sleep(0.3); // k6 takes in samples several times a second
    const found = metric('run_mark');
    if (found !== null) return found.value === mark;
  }
  return false;
}

const reportSeconds = 5; // between the lines that say how it goes

const sleepUntil = (time) => {
  const left = (time - Date.now()) / 1000;
  if (left > 0) sleep(left);
};

// graceSeconds is how long what is under way at the end may take, before k6 cuts
// it off.
export const graceSeconds = 10;

// conclude waits until nobody is at work any more, and crosses the threshold of
// the metric `invalid` if the run is, which is the only way to k6's exit code. The
// result is made again at the end, of the same figures: here they come from k6's
// own API, and without it the run is INVALID, for its processor time is not known.
function conclude(data, interrupted, to, listening) {
  while (exec.instance.vusActive > 1 && Date.now() < to + 1000 * (graceSeconds + 2)) sleep(0.1);
  gauges.interrupted.add(exec.instance.iterationsInterrupted - interrupted);
  if (!listening || !ours(data.mark + 1)) { // once the mark is there, all that users have counted is
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
  const interrupted = exec.instance.iterationsInterrupted; // users whom the ramp has cut off
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
    const after = used(); // at each report, so that a run that is cut short has it too
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

// report prints how it goes: the rate since the last report, and the times since
// measuring began. They are those that k6 gives during a run, without sample of
// ours; the table at the end has p99 and p99.9 too.
function report(elapsed, count, seconds) {
  const times = metric(allName);
  if (times === null) return;
  const each = ['med', 'p(90)', 'p(95)', 'max'].map((key) => ms(1000 * times[key]));
  console.log(`${elapsed} s  ${grouped(count)} tx  ${grouped(count / seconds)}/s  so far p50 ${each[0]}  p90 ${each[1]}  p95 ${each[2]}  max ${each[3]} ms`);
}
