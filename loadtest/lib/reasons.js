// Why a request did not do its work: the problem types of the contract, and a few reasons of our own.
import { problems } from './registry.js';

// The reasons beside the problem types: no answer, an answer with the wrong content, and a response
// that the contract does not have.
export const NO_ANSWER = 'no-answer';
export const WRONG_ANSWER = 'wrong-answer';
export const OTHER = 'other';

// RIGHT is the outcome of an answer whose content was checked, EMPTY of a transaction that was drawn without anything to
// remove.
export const RIGHT = 'right-answer';
export const EMPTY = 'empty-pool';

// The transactions that k6 counts in another way than a result does: those that ended after the measured time, with an
// answer or without; and those that ended in it but were begun before.
export const LATE = 'late';
export const LATE_UNANSWERED = 'late-unanswered';
export const CARRIED = 'carried';

// ASIDE are the outcomes that are no refusals.
export const ASIDE = [RIGHT, EMPTY, LATE, LATE_UNANSWERED, CARRIED];

// reasonOf returns the type of a problem document. If the body was not read there is only the status, which is enough
// for most types.
export function reasonOf(status, body) {
  const found = /urn:brokerage:problem:([a-z-]+)/.exec(body || '');
  if (found !== null) return problems[found[1]] === status ? found[1] : OTHER;
  const possible = Object.keys(problems).filter((type) => problems[type] === status);
  return possible.length === 1 ? possible[0] : OTHER;
}

// label returns the name of an unexpected refusal in a result.
export function label(reason) {
  return problems[reason] === undefined ? reason : `${problems[reason]} ${reason}`;
}
