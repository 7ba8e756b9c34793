// Buttons that copy examples and addresses. Without scripts the page has no buttons, and readers copy by hand.

const { copy, copied } = document.currentScript.dataset;
/** Characters of a copied text that screen readers announce. */
const MOST_READ = 120;

const readOut = document.createElement('p');
readOut.className = 'unseen';
readOut.setAttribute('role', 'status');
document.body.append(readOut);

/** Boxes that have no button yet: a script may bring new ones. */
function addButtons() {
  for (const box of document.querySelectorAll('.copied')) {
    if (box.querySelector('.copy') === null) addButton(box);
  }
}
addButtons();
addEventListener('renewed', addButtons);

function addButton(box) {
  const text = box.querySelector('input, code');
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'copy',
    textContent: copy,
  });
  button.setAttribute('aria-label', `${copy}: ${nameOf(text)}`);
  button.addEventListener('click', async () => {
    const written = text.value ?? text.textContent;
    try {
      await navigator.clipboard.writeText(written);
    } catch {
      // Only secure pages have a clipboard.
      if (text.select) text.select();
      else getSelection().selectAllChildren(text);
      document.execCommand('copy');
      button.focus();
    }
    button.textContent = copied;
    readOut.textContent = `${copied}: ${written.slice(0, MOST_READ)}`;
    setTimeout(() => {
      button.textContent = copy;
      readOut.textContent = '';
    }, 2_000);
  });
  box.append(button);
}

/** A field has a label, an example the id of its heading. */
function nameOf(text) {
  const label = text.labels?.[0] ?? document.getElementById(text.parentNode.getAttribute('aria-labelledby'));
  return label?.textContent ?? '';
}
