// The workbench: shows the form of one transaction at a time, fills it in and sends it (send in base.js).
'use strict';

const choice = $('#choice');
const formOf = (name) => $(`#try-${name} form`);
const changes = (form) => form.dataset.method !== 'GET';

function hint(form, text) {
  $('.hint', form).textContent = [text, changes(form) && 'Sending this changes the data.'].filter(Boolean).join(' ');
}

function fillIn(form, values) {
  for (const field of $$('[data-in]', form)) if (field.name in values) field.value = values[field.name];
  const body = $('textarea', form);
  if (body && values.body) {
    body.value = indent(values.body);
    body.rows = Math.min(16, body.value.split('\n').length + 1);
  }
}

// next fills a form with another example, if there is one.
async function next(form) {
  const name = form.dataset.name;
  const button = $('.next', form);
  const by = token();
  button.disabled = true;
  try {
    const values = await example(name);
    if (by !== token()) return; // the token has changed meanwhile
    $('.first', form).hidden = Boolean(values);
    if (values) fillIn(form, values);
    else for (const field of $$('[data-in]', form)) field.value = '';
    hint(form, values ? '' : 'Only what this page has inserted can be deleted here: insert something first.');
  } catch (e) {
    if (by === token()) hint(form, e instanceof Refused ? e.message : `No example: ${e.message}.`);
  } finally {
    button.disabled = false;
    form.dataset.filled = 'yes';
  }
}

async function submit(form) {
  const answer = await send(form);
  if (answer) noteAnswer(form, answer);
  if (answer?.status === 401 || answer?.status === 403) hint(form, 'It needs a token with the right scope: see the field at the top.');
  if (answer?.status === 201) hint(form, 'Created. The next example has another id.');
  return answer;
}

// insertFirst inserts something that the form can then delete.
async function insertFirst(form) {
  const insert = formOf(examples[form.dataset.name].undoes);
  await next(insert);
  const answer = await submit(insert);
  if (answer?.ok) await next(form);
  else hint(form, `${insert.dataset.name} was refused: its form shows the answer.`);
}

function choose(name) {
  choice.value = name;
  for (const panel of $$('.transaction')) panel.hidden = panel.id !== `try-${name}`;
  const form = formOf(name);
  // A delete gets a new example each time, because it can be sent once only; other forms keep what was edited.
  if (!form.dataset.filled || examples[name].undoes) next(form);
}

async function copy(form) {
  const button = $('.copy', form);
  const text = curl(form);
  try {
    await navigator.clipboard.writeText(text);
    hint(form, 'Copied.');
  } catch {
    // Without HTTPS there is no clipboard: show the text to copy by hand.
    const pre = $('.command', form) ?? element('pre', 'command');
    pre.textContent = text;
    pre.tabIndex = 0;
    $('.actions', form).after(pre);
  }
  button.focus();
}

for (const form of $$('.transaction form')) {
  form.addEventListener('submit', (event) => { event.preventDefault(); submit(form); });
  $('.next', form).addEventListener('click', () => next(form));
  $('.first', form).addEventListener('click', () => insertFirst(form));
  $('.copy', form).addEventListener('click', () => copy(form));
  $('textarea', form)?.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
choice.addEventListener('change', () => choose(choice.value));
for (const link of $$('[data-try]')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    choose(link.dataset.try);
    $('#workbench').scrollIntoView();
    choice.focus({ preventScroll: true });
  });
}
// With a token, forms can be filled that could not be before.
$('#token').addEventListener('change', () => {
  for (const form of $$('.transaction form')) delete form.dataset.filled;
  next(formOf(choice.value));
});
choose(choice.value);
