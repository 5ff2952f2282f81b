// Whether a run is valid, by the rules of the scenario, as in brokerage drive (internal/result/validity.go).
import { twoRequests } from './metrics.js';

const least = { measured: 60, warmed: 20 };
const sumOf = (list) => list.reduce((sum, x) => sum + x, 0);

export function judge(run, { late, templates, invalid }) {
  const reasons = [];
  const notes = [];
  const { total, usage, arrivals } = run;
  const smoke = run.measuredSeconds < least.measured - 0.5 || run.warmedSeconds < least.warmed - 0.5;

  if (run.ended === 'target-died') reasons.push('the service died');
  if (run.ended === 'interrupted') reasons.push('it was interrupted');
  if (total.count === 0) reasons.push('no transaction was answered in the measured time');

  const unexpected = sumOf(Object.values(total.unexpected));
  if (unexpected > 0 && unexpected >= 0.005 * total.count) reasons.push(`${((100 * unexpected) / total.count).toFixed(2)} % of the answers were unexpected; below 0.5 % is allowed`);
  if (total.unexpected['wrong-answer'] > 0) reasons.push(`${total.unexpected['wrong-answer']} answers had the wrong content`);

  if (total.emptyPool > 0.01 * (total.count + total.emptyPool)) reasons.push('more than 1 % of the transactions drawn had nothing of the user\'s own to delete');
  const draws = sumOf(run.transactions.map(drawnOf));
  const off = run.transactions.filter((r) => !reached(r, draws)).map((r) => r.name);
  if (off.length > 0) reasons.push(`shares of the mix that differ from its weights by more than chance: ${off.join(', ')}`);
  // The steps of a curve go up to rates that are too high.
  const { steps } = run.curve || { steps: null };
  if (arrivals && arrivals.dropped > 0 && steps === null) reasons.push(`${arrivals.dropped} of ${arrivals.due} arrivals were dropped, because all ${run.model.users} users were waiting for answers`);
  const unknown = total.waiting - total.late;
  if (arrivals && steps === null && unknown > 0 && unknown >= 0.005 * total.due) reasons.push(`${unknown} of ${total.due} arrivals were still waiting when k6 gave up, 10 s after the end: their times are not known`);
  const change = trend(run.perSecond);
  if (steps === null && Math.abs(change) > 0.1) reasons.push(`not steady: the rate changed from beginning to end by ${(100 * change).toFixed(0)} %`);
  if (usage.generator.cpuSeconds === 0) reasons.push('the processor time that k6 used is not known (see K6_API)');
  else if (steps !== null) notes.push(...steps.filter((step) => step.generator >= 0.8).map((step) => `at ${step.rate} arrivals a second k6 used ${Math.round(100 * step.generator)} % of the processors: the times are its own`));
  else if (usage.generator.cpu >= 0.8) reasons.push(`k6 used ${Math.round(100 * usage.generator.cpu)} % of the processors; below 80 % is allowed`);
  if (late > 0) reasons.push(`${late} users were still inserting what they delete when measuring began; RAMP was too short`);

  if (invalid && reasons.length === 0) reasons.push('k6 did not report its own figures at the end (see K6_API), so the run cannot be checked');

  const refused = (reason) => (total.unexpected[reason] || 0) + (run.prepared.unexpected?.[reason] || 0);
  const missing = refused('404 not-found');
  if (missing > 0) notes.push(`${missing} not found: they are in the dataset but not in the database, so they were deleted; a restore brings them back, or brokerage load --replace`);
  const taken = refused('409 order-exists') + refused('409 customer-exists') + refused('409 account-exists');
  if (taken > 0) notes.push(`${taken} new ids existed: another client used ids without a lease; the next run has other ids`);

  if (run.target.sameHost) notes.push('k6 ran on the computer of the service, and took processor time from it');
  const silent = total.unexpected['no-answer'] || 0;
  if (silent > 0 && !twoRequests) notes.push(`the times include ${silent} requests without an answer`);
  if (templates !== run.dataset.profile) notes.push(`new documents have the profile ${templates}, the loaded ones ${run.dataset.profile}; see TEMPLATES`);
  return { valid: reasons.length === 0 && !smoke, smoke, reasons, notes };
}

const drawnOf = ({ count, waiting, emptyPool }) => count + waiting + emptyPool;

// reached reports whether a transaction was drawn as often as its weight says, within 4.5 standard deviations, which
// are exceeded by chance once in 150,000 times.
function reached(row, draws) {
  const { weight } = row;
  return Math.abs(drawnOf(row) - draws * weight) <= 4.5 * Math.sqrt(draws * weight * (1 - weight)) + 1;
}

// trend returns the change of the rate from the beginning to the end of a line fitted through all seconds, relative to
// the mean; 0 if the slope is below three standard errors.
function trend(perSecond) {
  const n = perSecond.length;
  const mean = sumOf(perSecond) / n;
  if (n < 10 || mean === 0) return 0;
  const middle = (n - 1) / 2;
  const xx = sumOf(perSecond.map((_, i) => (i - middle) ** 2));
  const slope = sumOf(perSecond.map((y, i) => (i - middle) * (y - mean))) / xx;
  const rest = sumOf(perSecond.map((y, i) => (y - mean - slope * (i - middle)) ** 2));
  const error = Math.sqrt(rest / (n - 2) / xx);
  return Math.abs(slope) > 3 * error ? (slope * n) / mean : 0;
}
