// New documents, from the templates of the generator: documents with slots, as
// `brokerage templates` writes them. Those beside the script are of the default
// profile; TEMPLATES names a folder with others, or with more.
import { SharedArray } from 'k6/data';
import { faults, fromHere, settings } from './settings.js';

// The generator writes documents on one line, so a line break can stand between
// the parts. One string is what a SharedArray hands out fastest, and sharing is
// what keeps a megabyte of templates from being there once for each user.
const between = '\n';

function load(kind) {
  return new SharedArray(`templates of ${kind}`, () => {
    const name = `${kind}.templates.json`;
    try {
      const path = settings.templates === '' ? import.meta.resolve(`../templates/${name}`) : `${fromHere(settings.templates)}/${name}`;
      const { dataset, templates } = JSON.parse(open(path));
      return [dataset].concat(templates.map((parts) => parts.join(between)));
    } catch (_) {
      return []; // said below, for every user runs this but only one of them loads
    }
  });
}

const shelfSize = 6;
const exchangeEvery = 256;

const templates = { order: load('order'), customer: load('customer'), account: load('account') };

for (const kind of Object.keys(templates)) {
  if (templates[kind].length < 2) faults.push(`TEMPLATES: there are no templates of ${kind} in ${settings.templates || 'loadtest/templates'}`);
}

// profile is that of the data that the templates are like.
export function profile() {
  return templates.order[0].split('/')[0];
}

// shelf gives a function that takes a template and puts in what slot() gives for
// each of its slots. To take one from the shared ones costs as much as several
// requests, for k6 parses and freezes it, and all of them for every user would
// fill the memory. So each user has a few at hand and exchanges one now and then:
// in time it has used them all. Parts are joined at once, since each part that is
// put behind a document copies the document.
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
    for (let i = 0; i < n; i++) parts[2 * i + 1] = slot(slots[i]); // in the place of the one before
    return parts.join('');
  };
}
