// Requests beside the load: those of setup(), and leases of ids.
import http from 'k6/http';
import { sleep } from 'k6';
import { settings } from './settings.js';
import { readDataset } from './dataset.js';

export const headers = settings.token === '' ? {} : { Authorization: `Bearer ${settings.token}` };

// ask returns a response, or throws a Refusal with one line that says why there is none.
function ask(method, path, body = null) {
  let res;
  try {
    const sent = method === 'GET' ? headers : { ...headers, 'Content-Type': 'application/xml' };
    res = http.request(method, settings.baseURL + path, body, { headers: sent, responseType: 'text', tags: { name: 'beside the load', phase: 'beside' } });
  } catch (_) {
    throw new Refusal(`no service answers at ${settings.baseURL}`);
  }
  switch (res.status) {
    case 401:
      throw new Refusal(settings.token === '' ? 'the service requires a token: set TOKEN' : 'the service does not accept the TOKEN');
    case 403:
      throw new Refusal(`the TOKEN may not ${method} ${path.split('?')[0]}: this workload needs the scopes read and trade, classic admin too`);
  }
  return res;
}

// A Refusal is the reason why a run does not begin.
export class Refusal {
  constructor(message) {
    this.message = message;
  }
}

export function dataset() {
  const res = ask('GET', '/v1/dataset?symbols=true');
  if (res.status === 404 && res.body.includes('urn:brokerage:problem:not-found')) {
    throw new Refusal(`the database behind ${settings.baseURL} is empty: load a dataset first (brokerage load)`);
  }
  if (res.status !== 200) throw new Refusal(`${settings.baseURL}/v1/dataset returned ${res.status}, and the script needs a dataset`);
  const found = readDataset(res.body);
  if (found === null) throw new Refusal('the database was not generated, so its ids are not known');
  const { customers, orders, securities } = found;
  if (customers.count < settings.users || orders.count < settings.users || securities.count < 1) {
    throw new Refusal(`the database is too small for ${settings.users} users: it has ${customers.count} customers, ${orders.count} orders and ${securities.count} securities`);
  }
  return found;
}

// lease returns the first of a number of ids that no other client ever receives.
export function lease(kind, count) {
  const res = ask('POST', `/v1/dataset/leases?kind=${kind}&count=${count}`);
  const first = /first="(\d+)"/.exec(res.body || '');
  if (res.status !== 200 || first === null) throw new Refusal(`the request for a lease of ids returned ${res.status}`);
  return Number(first[1]);
}

// mayReplace throws a Refusal unless the token may replace documents. The service checks scopes before the path, and no
// customer has this id.
export function mayReplace() {
  ask('PUT', '/v1/customers/0', '<x/>');
}

export function version() {
  const found = /version="([^"]*)"/.exec(ask('GET', '/version').body || '');
  return found === null ? '' : found[1];
}

// requireAPI throws a Refusal unless k6 answers at its API, from which the script reads its processor time. k6 may call
// setup before its API listens.
export function requireAPI() {
  for (let i = 0; i < 30; i++) {
    try {
      if (http.get(`http://${settings.k6API}/v1/status`, { responseType: 'text', tags: { name: 'beside the load', phase: 'beside' } }).status === 200) return;
    } catch (_) {
      // not yet
    }
    sleep(0.1);
  }
  throw new Refusal(`k6 does not answer at ${settings.k6API}, so its processor time would not be known: use loadtest/k6, or add --address ${settings.k6API}, or set ALLOW_INVALID=yes`);
}
