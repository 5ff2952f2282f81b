// Random numbers from a seed: a script cannot seed Math.random(), and each user needs its own stream.

// k6 looks up globals by name each time, but not constants of a module.
const { floor, imul, log } = Math;

// Two multiplicative generators form one with a period of 2^61 (L'Ecuyer, 1988). Products stay below 2^53. In k6's
// engine this takes less than half the time of generators that mix bits, which need Math.imul or more operations.
const [factorA, modulusA] = [40014, 2147483563];
const [factorB, modulusB] = [40692, 2147483399];

// makeRandom returns closures instead of an object with state, because the engine finds variables by index and
// properties by name.
export function makeRandom(seed, stream) {
  const start = scatter(seed, stream);
  let a = 1 + (start() % (modulusA - 1));
  let b = 1 + (start() % (modulusB - 1));

  // next returns a number from 0 to below 1.
  function next() {
    a = (a * factorA) % modulusA;
    b = (b * factorB) % modulusB;
    return (a > b ? a - b : a - b + (modulusA - 1)) / modulusA;
  }

  return {
    next,
    // below returns a whole number from 0 to n-1; n is at most 2^31.
    below: (n) => floor(next() * n),
    // between returns a whole number from a to b.
    between: (a, b) => a + floor(next() * (b - a + 1)),
  };
}

// scatter returns a function for whole numbers of 32 bits (mulberry32), unrelated for neighbouring streams: they are
// the initial states of the generators.
function scatter(seed, stream) {
  let state = (imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ imul(stream + 1, 0xc2b2ae35)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = imul(state ^ (state >>> 15), 1 | state);
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

// chooser returns a function that draws an index by weight in constant time (Vose's alias method).
export function chooser(weights, { next }) {
  const n = weights.length;
  const sum = weights.reduce((a, b) => a + b, 0);
  const share = weights.map((w) => (w * n) / sum);
  const alias = weights.map((_, i) => i);
  const small = [];
  const large = [];
  share.forEach((s, i) => (s < 1 ? small : large).push(i));
  while (small.length > 0 && large.length > 0) {
    const less = small.pop();
    const more = large[large.length - 1];
    alias[less] = more;
    share[more] -= 1 - share[less];
    if (share[more] < 1) small.push(large.pop());
  }
  for (const i of small.concat(large)) share[i] = 1; // left over because of rounding
  return () => {
    const x = next() * n;
    const i = floor(x);
    return x - i < share[i] ? i : alias[i];
  };
}

// drawer returns a function that draws from 0 to n-1 by a distribution of a workload file, as brokerage drive does
// (internal/workload/distribution.go). What is drawn often by zipf and hot-set is scattered, so that popular keys are not
// next to each other on a page.
export function drawer({ distribution, s, hot, share }, n, { next }) {
  const stride = [7919, 7907, 7901].find((prime) => n % prime !== 0) || 1;
  switch (distribution) {
    case 'zipf': {
      const rank = zipf(s, n, next);
      return () => (rank() * stride) % n;
    }
    case 'hot-set': {
      const many = Math.min(Math.max(floor(hot * n), 1), n);
      const rank = () => (many === n || next() < share ? floor(next() * many) : many + floor(next() * (n - many)));
      return () => (rank() * stride) % n;
    }
    default:
      return () => floor(next() * n);
  }
}

// zipf returns a function that draws rank k, from 0, with a probability proportional to (k+1)^-s, for any s above 0:
// rejection from the integral (Hörmann and Derflinger, 1996), without a table, so that n may be millions.
function zipf(s, n, next) {
  const integral = s === 1 ? log : (x) => Math.expm1((1 - s) * log(x)) / (1 - s);
  const inverse = s === 1 ? Math.exp : (u) => Math.exp(Math.log1p(u * (1 - s)) / (1 - s));
  const density = (x) => Math.pow(x, -s);
  const low = integral(1.5) - 1;
  const high = integral(n + 0.5);
  const surely = 2 - inverse(integral(2.5) - density(2));
  return () => {
    for (;;) {
      const u = high + next() * (low - high);
      const x = inverse(u);
      const k = Math.min(Math.max(floor(x + 0.5), 1), n);
      if (k - x <= surely || u >= integral(k + 0.5) - density(k)) return k - 1;
    }
  };
}
