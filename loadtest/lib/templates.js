// New documents from the templates of the generator: documents with slots, as `brokerage templates` writes them. The
// ones beside the script have the default profile; TEMPLATES names a folder with others.
import { SharedArray } from 'k6/data';
import { faults, fromHere, settings } from './settings.js';

// Documents are on one line, so a line break can separate their parts. A SharedArray returns one string fastest, and
// without it each user would have its own megabyte of templates.
const between = '\n';

function load(kind) {
  return new SharedArray(`templates of ${kind}`, () => {
    const name = `${kind}.templates.json`;
    try {
      const path = settings.templates === '' ? import.meta.resolve(`../templates/${name}`) : `${fromHere(settings.templates)}/${name}`;
      const { dataset, templates } = JSON.parse(open(path));
      return [dataset].concat(templates.map((parts) => parts.join(between)));
    } catch (_) {
      return []; // reported below: every user runs this, but only one of them loads
    }
  });
}

const shelfSize = 6;
const exchangeEvery = 256;

const templates = { order: load('order'), customer: load('customer'), account: load('account') };

for (const kind of Object.keys(templates)) {
  if (templates[kind].length < 2) faults.push(`TEMPLATES: there are no templates of ${kind} in ${settings.templates || 'loadtest/templates'}`);
}

// profile returns the profile of the dataset that the templates are from.
export function profile() {
  return templates.order[0].split('/')[0];
}

// shelf returns a function that fills a random template: slot(name) returns the text of a slot. Reading a shared
// template costs as much as several requests, because k6 parses and freezes it, and all templates for each user would
// not fit into memory. So each user has a few at hand and replaces one now and then. Parts are joined once, since
// appending them one by one would copy the document each time.
export function shelf(kind, { below }) {
  const all = templates[kind];
  const another = () => {
    const parts = all[1 + below(all.length - 1)].split(between);
    return { slots: parts.filter((_, i) => i % 2 === 1), parts };
  };
  const held = Array.from({ length: shelfSize }, another); // before anything is measured
  return (slot) => {
    const place = below(shelfSize);
    if (below(exchangeEvery) === 0) held[place] = another();
    const { slots, parts } = held[place];
    const n = slots.length;
    for (let i = 0; i < n; i++) parts[2 * i + 1] = slot(slots[i]); // replaces the text of the document before
    return parts.join('');
  };
}
