// Conveniences of the developers' page, which works without scripts: buttons that copy, the language of examples that was chosen last,
// and folded text that opens when a link leads to it.

const { copy, copied } = document.currentScript.dataset;

for (const box of document.querySelectorAll('.copied')) {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'copy',
    textContent: copy,
  });
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    const code = box.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // Only secure pages have a clipboard.
      getSelection().selectAllChildren(code);
      document.execCommand('copy');
    }
    button.textContent = copied;
    setTimeout(() => {
      button.textContent = copy;
    }, 2_000);
  });
  box.append(button);
}

const REMEMBERED = 'almanakk:example';

/** A browser may refuse storage to pages. */
function remember(value) {
  try {
    if (value === undefined) return localStorage.getItem(REMEMBERED);
    localStorage.setItem(REMEMBERED, value);
  } catch {}
  return null;
}

const chosen = remember();
for (const radio of document.querySelectorAll('.tabs input')) {
  if (radio.value === chosen) radio.checked = true;
  radio.addEventListener('change', () => remember(radio.value));
}

function unfold() {
  const section = document.getElementById(location.hash.slice(1))?.closest('.section');
  const details = section?.querySelector('.section-body > details');
  if (details) details.open = true;
}
addEventListener('hashchange', unfold);
unfold();
