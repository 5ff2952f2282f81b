// New ids out of a lease that users share: user u of n takes the places u, u+n,
// u+2n and so on. All together they go upwards, as a sequence would.
import { lease } from './service.js';

const again = 3000; // ids of a further lease, which a user has for itself

export function idsOf(leases, user, users) {
  const ranges = {};
  for (const [kind, { first, count }] of Object.entries(leases)) {
    const width = kind === 'account' ? 3 : 1; // a customer has up to three
    ranges[kind] = { width, next: first + user * width, step: users * width, end: first + count };
  }
  return (kind) => {
    const range = ranges[kind];
    if (range.next + range.width > range.end) {
      range.next = lease(kind, again);
      range.end = range.next + again;
      range.step = range.width;
    }
    const id = range.next;
    range.next += range.step;
    return id;
  };
}
