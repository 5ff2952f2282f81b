// Measures how many requests k6 can issue on this machine: one URL again and again, without drawing, checking or
// counting anything. The throughput of brokerage.js is compared with this; see docs/k6.md.
import http from 'k6/http';
import { Gauge } from 'k6/metrics';
import { sleep } from 'k6';

const baseURL = __ENV.BASE_URL || 'http://127.0.0.1:8080';
const url = `${baseURL}/v1/orders/103282`;
const headers = __ENV.TOKEN ? { Authorization: `Bearer ${__ENV.TOKEN}` } : {};
const params = { ...(__ENV.TOKEN ? { headers } : {}), tags: { name: 'fixed' } };
const processor = new Gauge('processor_seconds');

export const options = {
  discardResponseBodies: true,
  scenarios: {
    fixed: { executor: 'constant-vus', vus: Number(__ENV.USERS || 50), duration: __ENV.DURATION || '8s', gracefulStop: '1s' },
  },
};

// used returns the processor time that k6 and the service have used so far. k6 may call setup before its API listens.
function used() {
  let own;
  for (let i = 0; i < 30; i++) {
    own = http.get(`http://${__ENV.K6_API || 'localhost:6565'}/metrics`, { responseType: 'text' });
    if (own.status === 200) break;
    sleep(0.1);
  }
  const of = (metrics) => Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics.body)[1]);
  return of(own) + of(http.get(`${baseURL}/metrics`, { headers, responseType: 'text' }));
}

export function setup() {
  return used();
}

export default function fixed() {
  http.get(url, params);
}

export function teardown(before) {
  processor.add(used() - before);
}

export function handleSummary({ metrics }) {
  const { count, rate } = metrics.http_reqs.values;
  const each = metrics.processor_seconds ? (1e6 * metrics.processor_seconds.values.value) / count : NaN;
  return { stdout: `${Math.round(rate)} requests/s, ${Math.round(each)} µs of processor time each, ${metrics.http_req_failed.values.passes} failed\n` };
}
