// Conveniences of the developers' page, which works without scripts: the language of examples that was chosen last, and folded text
// that opens when a link leads to it.

const REMEMBERED = 'almanakk:example';

// A browser may refuse storage to pages.
function remembered() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}

function remember(value) {
  try {
    localStorage.setItem(REMEMBERED, value);
  } catch {}
}

const chosen = remembered();
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
