// The ids, accounts and symbols of the dataset, from GET /v1/dataset; see the contract (api/openapi.yaml).

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

// symbolWidth is the width of a symbol in the string of all symbols. k6 copies the result of setup() to every user, and
// an array of twenty thousand strings for each user would not fit into memory.
const symbolWidth = 7;

// readDataset returns null for a database that was not generated, because its keys are unknown.
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

// storeOf returns the engine and the settings that the service reports for its store, and how it runs each transaction.
function storeOf(xml) {
  const { engine, version, durability } = attributes(xml, 'Store');
  const settings = { durability, version };
  for (const [, name, value] of xml.matchAll(/<Setting name="([^"]*)" value="([^"]*)"/g)) settings[unescape(name)] = unescape(value);
  const faithful = {};
  for (const [, name, how] of xml.matchAll(/<Transaction name="([^"]*)" faithful="([^"]*)"/g)) faithful[name] = unescape(how);
  return { engine, settings, faithful };
}

// lookup returns functions that draw or find keys of a dataset.
export function lookup({ symbols, accounts, securities }, { below }) {
  const { first, stride, pattern } = accounts;
  const symbolAt = (i) => symbols.slice(i * symbolWidth, (i + 1) * symbolWidth).trimEnd();
  return {
    symbolAt,
    // accountOf draws an account of customer k, counted from 0.
    accountOf(k) {
      const { offset, count } = pattern[k % pattern.length];
      return first + stride * Math.floor(k / pattern.length) + offset + (count > 1 ? below(count) : 0);
    },
    // heldBy returns the symbol of the first position of a generated account.
    heldBy: (account) => symbolAt(account % securities.count),
  };
}
