// New documents from the templates of the generator: documents with slots, as `brokerage templates` writes them. The
// ones beside the script have the default profile; TEMPLATES names a folder with others.
import { SharedArray } from 'k6/data';
import { fromHere, refuse, settings } from './settings.js';

// Documents are on one line, so a line break can separate their parts. A SharedArray returns one string fastest, and
// without it each user would have its own megabyte of templates.
const between = '\n';

function load(kind) {
  const name = `${kind}.templates.json`;
  const all = new SharedArray(`templates of ${kind}`, () => {
    try {
      const path = settings.templates === '' ? import.meta.resolve(`../templates/${name}`) : `${fromHere(settings.templates)}/${name}`;
      return JSON.parse(open(path)).templates.map((parts) => parts.join(between));
    } catch (_) {
      return [];
    }
  });
  return all.length > 0 ? all : refuse(`TEMPLATES: there are no templates of ${kind} in ${settings.templates || 'loadtest/templates'}`);
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
