// New ids from a lease that users share: user u of n takes the ids u, u+n, u+2n and so on, so that all users together
// go through the lease in ascending order, as a sequence would.
import { lease } from './service.js';

const again = 3000; // ids of each further lease, for one user

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
