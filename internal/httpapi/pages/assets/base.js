// Shared by the pages: shows XML, sends forms and shows the answers.
'use strict';

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

function element(name, className, ...children) {
  const e = document.createElement(name);
  e.className = className;
  e.append(...children);
  return e;
}

// --- showing XML ---

const markup = /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>|<(?:"[^"]*"|'[^']*'|[^>"'])*>|[^<]+|</g;

// indent puts each element of XML on a line of its own. What has text beside it stays on the line of the text.
function indent(xml) {
  const lines = [];
  let depth = 0;
  let before = '';
  for (const token of xml.match(markup) ?? []) {
    const kind = token.startsWith('</') ? 'end' : !/^<[^[\s]/.test(token) || token.startsWith('<![') ? 'text'
      : /^<[!?]|\/>$/.test(token) ? 'empty' : 'start';
    if (!token.trim()) continue;
    if (kind === 'end') depth--;
    if (kind === 'text' || before === 'text' || (kind === 'end' && before === 'start')) lines.push((lines.pop() ?? '') + token);
    else lines.push('  '.repeat(Math.max(depth, 0)) + token);
    if (kind === 'start') depth++;
    before = kind;
  }
  return lines.join('\n');
}

// coloured returns XML as nodes with classes: names, attributes, values, comments.
function coloured(xml) {
  const all = document.createDocumentFragment();
  for (const token of xml.match(markup) ?? []) {
    if (token.startsWith('<!') || token.startsWith('<?')) {
      all.append(element('span', 'aside', token));
    } else if (token.startsWith('<')) {
      for (const [part] of token.matchAll(/^<\/?[^\s/>]+|\/?>$|"[^"]*"|'[^']*'|[^"'>]+/g)) {
        const kind = /^<|>$/.test(part) ? 'tag' : /^["']/.test(part) ? 'value' : 'attribute';
        all.append(element('span', kind, part));
      }
    } else {
      all.append(token);
    }
  }
  return all;
}

const tooLong = 300_000; // characters; a browser would take too long to lay them out

function show(pre, text) {
  const isXML = text.trimStart().startsWith('<') && !/^\s*<!doctype/i.test(text) && text.length < tooLong;
  pre.replaceChildren(isXML ? coloured(indent(text)) : text);
}

// --- requests ---

// address returns the URL of a form's request, below the path at which the service is reached.
function address(form) {
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const field of $$('[data-in]', form)) {
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, () => encodeURIComponent(field.value));
    if (field.dataset.in === 'query' && field.value) query.append(field.name, field.value);
  }
  const url = new URL(path.slice(1), new URL('.', location.href));
  url.search = query;
  return url;
}

function headers(form, token) {
  const all = { Accept: 'application/xml, application/problem+xml, */*;q=0.1' };
  if (token) all.Authorization = `Bearer ${token}`;
  for (const field of $$('[data-in=header]', form)) if (field.value) all[field.name] = field.value;
  const body = $('textarea', form);
  if (body) all['Content-Type'] = body.dataset.type;
  return all;
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

// The token is a variable here, because commands are pasted where no secret should be.
function curl(form) {
  const command = [`curl -i -X ${form.dataset.method} ${quoted(address(form).href)}`];
  for (const [name, value] of Object.entries(headers(form, ''))) command.push(`-H ${quoted(`${name}: ${value}`)}`);
  if ($('#token').value) command.push('-H "Authorization: Bearer $TOKEN"');
  const body = $('textarea', form);
  if (body) command.push(`--data-binary ${quoted(body.value)}`);
  return command.join(' \\\n  ');
}

const first = ['x-request-id', 'etag', 'location', 'retry-after'];
const importance = (name) => (first.indexOf(name) + first.length + 1) % (first.length + 1);

function headerTable(answer) {
  const rows = [...answer.headers].sort(([a], [b]) => importance(a) - importance(b));
  return element('dl', 'headers', ...rows.map(([name, value]) => element('div', first.includes(name) ? 'key' : '',
    element('dt', '', element('code', '', name)), element('dd', '', value))));
}

// send sends a form, shows the answer below it, and returns the answer, or null if none came.
async function send(form) {
  const result = form.parentElement.querySelector('.result');
  const button = $('[type=submit]', form);
  button.disabled = true;
  const began = performance.now();
  try {
    const answer = await fetch(address(form), {
      method: form.dataset.method,
      headers: headers(form, $('#token').value.trim()),
      body: $('textarea', form)?.value,
      cache: 'no-store', // the service's answer, not the browser's cache
      redirect: 'manual',
    });
    const text = await answer.text();
    const took = Math.round(performance.now() - began);
    const pre = element('pre', 'document');
    pre.tabIndex = 0;
    const size = new TextEncoder().encode(text).length;
    const line = element('p', '', element('span', `status${answer.ok ? '' : ' refused'}`, String(answer.status)),
      ` ${answer.statusText} `, element('small', '', `${took} ms, ${size.toLocaleString('en')} bytes`));
    result.replaceChildren(element('h3', '', 'Answer from the service'), line, headerTable(answer), ...(text ? [pre] : []));
    result.hidden = false;
    show(pre, text);
    return answer;
  } catch (e) {
    result.replaceChildren(element('h3', '', 'No answer'), element('p', '', e.message));
    result.hidden = false;
    return null;
  } finally {
    button.disabled = false;
  }
}
