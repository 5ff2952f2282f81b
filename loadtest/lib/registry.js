// The transactions and the problem types by their names in the contract. A Go
// test compares both lists with it (loadtest/contract_test.go).

// kinds gives each transaction its kind; upd_* are those of the older mix.
export const kinds = {
  get_order: 'query',
  get_security: 'query',
  customer_profile: 'query',
  search_securities: 'query',
  account_summary: 'query',
  get_security_price: 'query',
  customer_max_order: 'query',
  close_account: 'update',
  open_account: 'update',
  update_security_price: 'update',
  update_order_status: 'update',
  buy_security: 'update',
  sell_security: 'update',
  insert_order: 'insert',
  insert_customer: 'insert',
  delete_order: 'delete',
  delete_customer: 'delete',
  upd_custacc: 'update',
  upd_security: 'update',
};

// problems are the types of refusals with their status.
export const problems = {
  'bad-request': 400,
  malformed: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'order-exists': 409,
  'customer-exists': 409,
  'account-exists': 409,
  'last-account': 409,
  'too-many-holdings': 409,
  'not-held': 409,
  'too-few-held': 409,
  'not-covered': 409,
  'balance-limit': 409,
  'key-in-use': 409,
  stale: 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  invalid: 422,
  'key-reused': 422,
  'too-many-requests': 429,
  internal: 500,
  overloaded: 503,
  unavailable: 503,
  'outcome-unknown': 503,
  timeout: 504,
};

// expected are the refusals that belong to a transaction: which positions an
// account has is for the service to know, and two may change a document at once.
const trade = ['too-many-holdings', 'not-held', 'too-few-held', 'not-covered', 'balance-limit'];
export const expected = {
  buy_security: trade,
  sell_security: trade,
  upd_custacc: ['stale'],
  upd_security: ['stale'],
};

// Beside the problems: no answer at all, one whose content is not what was
// asked for, and one that the contract does not know.
export const NO_ANSWER = 'no-answer';
export const WRONG_ANSWER = 'wrong-answer';
export const OTHER = 'other';
export const reasons = [...Object.keys(problems), NO_ANSWER, WRONG_ANSWER, OTHER];

// What k6 counts otherwise than a result does: what ended after the measured time,
// with an answer or without; and what ended in it, but was begun before.
export const LATE = 'late';
export const LATE_UNANSWERED = 'late-unanswered';
export const CARRIED = 'carried';
export const ASIDE = [LATE, LATE_UNANSWERED, CARRIED];

// reasonOf reads the type off a problem document. Of an answer that was not
// looked into there is only the status, which most types have to themselves.
export function reasonOf(status, body) {
  const found = /urn:brokerage:problem:([a-z-]+)/.exec(body || '');
  if (found !== null) return problems[found[1]] === status ? found[1] : OTHER;
  const possible = Object.keys(problems).filter((type) => problems[type] === status);
  return possible.length === 1 ? possible[0] : OTHER;
}

// label is how a result calls an unexpected refusal.
export function label(reason) {
  return problems[reason] === undefined ? reason : `${problems[reason]} ${reason}`;
}
