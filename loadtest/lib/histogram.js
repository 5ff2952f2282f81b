// Histograms of the times of k6, in the encoding of brokerage drive (HdrHistogram V2, 3 significant digits, nanoseconds),
// so that `brokerage merge` can add those of several runs. A script cannot read the values that k6 keeps, only quantiles
// of them: the histogram is made of some hundred.
import { b64encode } from 'k6/encoding';

// quantiles are the percentages between which values are counted: half a percent apart, and closer near the end.
const steps = (from, to, by) => Array.from({ length: Math.round((to - from) / by) }, (_, i) => Number((from + (i + 1) * by).toFixed(3)));
const quantiles = [...steps(0, 99, 0.5), ...steps(99, 99.9, 0.02), ...steps(99.9, 100, 0.005)];
const nameOf = (percent) => `p(${percent})`;
export const quantileNames = quantiles.map(nameOf);

const method = `${quantiles.length} quantiles of exact times: ranks are at most 0.5 % above the true ones, from p99 0.02 %, from p99.9 0.005 %`;

// histogram returns null for a trend without values or quantiles.
export function histogram(trend) {
  if (!trend || !(trend.values.count > 0) || trend.values[quantileNames[0]] === undefined) return null;
  const { values } = trend;
  const counts = new Map([[indexOf(values.min), 1]]);
  const last = values.count - 1; // the highest rank
  let before = 0;
  for (const percent of quantiles) {
    const rank = Math.floor((percent / 100) * last + 1e-9);
    const i = indexOf(values[nameOf(percent)]);
    if (rank > before) counts.set(i, (counts.get(i) || 0) + rank - before);
    before = rank;
  }
  return { method, unit: 'nanoseconds', encoding: 'hdr-v2-deflate-base64', data: b64encode(encode(counts).buffer) };
}

// The geometry of the histogram of brokerage drive (internal/result/tally.go).
const [leastValue, mostValue, digits] = [1, 3600e9, 3];
const subBuckets = 2048;

// indexOf returns the index of the count of a time in ms: values below 2048 ns have one each; above, every power of two
// has 1024.
function indexOf(ms) {
  const ns = Math.min(Math.max(Math.round(1e6 * ms), 0), mostValue);
  let bucket = 0;
  for (let scaled = ns; scaled >= subBuckets; scaled = Math.floor(scaled / 2)) bucket++;
  return (bucket * subBuckets) / 2 + Math.floor(ns / 2 ** bucket);
}

// encode returns the bytes of a histogram.
function encode(counts) {
  const payload = [];
  let next = 0;
  for (const i of [...counts.keys()].sort((a, b) => a - b)) {
    if (i > next) zigzag(next - i, payload); // a negative number is a run of zeros
    zigzag(counts.get(i), payload);
    next = i + 1;
  }
  const text = new Uint8Array(40 + payload.length);
  const view = new DataView(text.buffer);
  view.setInt32(0, 0x1c849313);
  view.setInt32(4, payload.length);
  view.setInt32(12, digits);
  view.setInt32(20, leastValue);
  view.setInt32(24, Math.floor(mostValue / 2 ** 32));
  view.setUint32(28, mostValue % 2 ** 32);
  view.setFloat64(32, 1);
  text.set(payload, 40);

  const stored = zlib(text);
  const all = new Uint8Array(8 + stored.length);
  const head = new DataView(all.buffer);
  head.setInt32(0, 0x1c849314);
  head.setInt32(4, stored.length);
  all.set(stored, 8);
  return all;
}

// zigzag appends a number by 7 bits to a byte, the least first, with its sign in the lowest bit.
function zigzag(n, to) {
  let rest = n < 0 ? -2 * n - 1 : 2 * n;
  for (; rest >= 128; rest = Math.floor(rest / 128)) to.push(128 + (rest % 128));
  to.push(rest);
}

// zlib wraps bytes as zlib without compressing them, because a script has no compression.
function zlib(text) {
  const most = 65535; // bytes in a block
  const out = [0x78, 0x01];
  let [a, b] = [1, 0]; // Adler-32
  for (let at = 0; at < text.length; at += most) {
    const block = text.subarray(at, at + most);
    const size = block.length;
    out.push(at + most >= text.length ? 1 : 0, size & 255, size >> 8, ~size & 255, (~size >> 8) & 255);
    for (const byte of block) {
      out.push(byte);
      a = (a + byte) % 65521;
      b = (b + a) % 65521;
    }
  }
  out.push(b >> 8, b & 255, a >> 8, a & 255);
  return Uint8Array.from(out);
}
