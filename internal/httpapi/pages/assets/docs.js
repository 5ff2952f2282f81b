// The page of documentation: sends its forms, lays out an operation when it is opened, filters.
'use strict';

for (const form of $$('form')) {
  const refresh = () => { if ($('.curl', form).open) $('.curl pre', form).textContent = curl(form); };
  form.addEventListener('submit', (event) => { event.preventDefault(); send(form); });
  form.addEventListener('input', refresh);
  form.addEventListener('reset', () => setTimeout(refresh)); // after the fields are reset
  $('.curl', form).addEventListener('toggle', refresh);
  $('#token').addEventListener('input', refresh);
  $('textarea', form)?.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}

// --- the page ---

// prepare lays out an operation or a problem when it is first opened, because most never are.
function prepare(details) {
  if (details.dataset.ready) return;
  details.dataset.ready = 'yes';
  for (const pre of $$('pre.document', details)) show(pre, pre.textContent);
  for (const body of $$('textarea', details)) {
    body.defaultValue = indent(body.defaultValue);
    body.rows = Math.min(24, body.defaultValue.split('\n').length + 1);
  }
}

for (const details of $$('.operation, .problem')) {
  details.addEventListener('toggle', () => { if (details.open) prepare(details); });
}

function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    prepare(target);
    target.open = true;
    target.scrollIntoView();
  }
}
addEventListener('hashchange', openTarget);
openTarget();

const filter = $('#filter');
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const e of $$('[data-words]')) {
    e.hidden = !words.every((word) => e.dataset.words.includes(word));
    if (!e.hidden) shown++;
  }
  for (const group of $$('[data-group]')) group.hidden = !$('[data-words]:not([hidden])', group);
  $('#nothing').hidden = shown > 0;
  $('#introduction').hidden = $('#problems').hidden = filter.value.trim() !== '';
});

addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    filter.focus();
  }
});
