// New documents from the templates of the generator: documents with slots, which loadtest/generate writes.
import { SharedArray } from 'k6/data';

// Documents are on one line, so a line break can separate their parts. A SharedArray returns one string fastest, and
// without it each user would have its own megabyte of templates.
const between = '\n';

function load(kind) {
  return new SharedArray(`templates of ${kind}`, () =>
    JSON.parse(open(import.meta.resolve(`../templates/${kind}.templates.json`))).templates.map((parts) => parts.join(between)));
}

const templates = { order: load('order'), customer: load('customer'), account: load('account') };

const shelfSize = 6;
const exchangeEvery = 256;

// shelf returns a function that fills a random template with the values of its slots. To read a shared template costs
// as much as several requests, because k6 parses and freezes it, and all templates for each user would not fit into
// memory. So each user has a few at hand and replaces one now and then.
export function shelf(kind, { below }) {
  const all = templates[kind];
  const another = () => all[below(all.length)].split(between);
  const held = Array.from({ length: shelfSize }, another);
  return (slots) => {
    const place = below(shelfSize);
    if (below(exchangeEvery) === 0) held[place] = another();
    return held[place].map((part, i) => (i % 2 === 1 ? slots[part] : part)).join('');
  };
}
