// What a client may rely on, from GET /v1/dataset: which ids, accounts and
// symbols there are. See the contract (api/openapi.yaml).

function attributes(xml, element) {
  const tag = new RegExp(`<${element}((?:\\s+[\\w:]+="[^"]*")*)\\s*/?>`).exec(xml);
  if (tag === null) return null;
  const found = {};
  for (const [, name, value] of tag[1].matchAll(/([\w:]+)="([^"]*)"/g)) found[name] = unescape(value);
  return found;
}

function unescape(text) {
  return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&apos;/g, "'").replace(/&amp;/g, '&');
}

function range(xml, element) {
  const { from, to } = attributes(xml, element);
  return [Number(from), Number(to)];
}

// symbolWidth is that of a symbol in the one string that holds them all: k6
// copies what setup() returns to every user, and an array of twenty thousand
// strings for each is what it could not hold.
const symbolWidth = 7;

// readDataset gives null for a database that was not generated: nobody can know
// what is in it.
export function readDataset(xml) {
  const [dataset, accounts] = [attributes(xml, 'Dataset'), attributes(xml, 'Accounts')];
  if (dataset === null || accounts === null || !xml.includes('<Symbols>')) return null;
  const of = (element) => {
    const { count, first } = attributes(xml, element);
    return { count: Number(count), first: Number(first) };
  };
  return {
    fingerprint: dataset.fingerprint,
    store: storeOf(xml),
    scale: dataset.scale,
    profile: dataset.profile,
    seed: Number(dataset.seed),
    securities: of('Securities'),
    customers: of('Customers'),
    orders: of('Orders'),
    accounts: {
      first: Number(accounts.first),
      stride: Number(accounts.stride),
      pattern: [...xml.matchAll(/<Customer offset="(\d+)" accounts="(\d+)"/g)].map(([, offset, count]) => ({ offset: Number(offset), count: Number(count) })),
    },
    search: {
      peMin: range(xml, 'PEMin'),
      peMax: range(xml, 'PEMax'),
      yieldMin: range(xml, 'YieldMin'),
      sectors: [...xml.matchAll(/<Sector>([^<]*)<\/Sector>/g)].map(([, sector]) => encodeURIComponent(unescape(sector))),
    },
    symbols: [...xml.matchAll(/<Symbol>([^<]*)<\/Symbol>/g)].map(([, symbol]) => symbol.padEnd(symbolWidth)).join(''),
  };
}

// storeOf is what the service says of its store: what figures depend on.
function storeOf(xml) {
  const { engine, version, durability } = attributes(xml, 'Store');
  const settings = { durability, version };
  for (const [, name, value] of xml.matchAll(/<Setting name="([^"]*)" value="([^"]*)"/g)) settings[unescape(name)] = unescape(value);
  return { engine, settings };
}

// lookup gives what a user asks of a dataset, with random draws where there is
// something to draw.
export function lookup({ symbols, accounts, securities }, { below }) {
  const { first, stride, pattern } = accounts;
  const symbolAt = (i) => symbols.slice(i * symbolWidth, (i + 1) * symbolWidth).trimEnd();
  return {
    symbolAt,
    // accountOf draws an account of customer k, who is counted from 0.
    accountOf(k) {
      const { offset, count } = pattern[k % pattern.length];
      return first + stride * Math.floor(k / pattern.length) + offset + (count > 1 ? below(count) : 0);
    },
    // heldBy is the symbol of the first position of a generated account.
    heldBy: (account) => symbolAt(account % securities.count),
  };
}
