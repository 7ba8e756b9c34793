// Shows at once what the choices give, and their addresses. Without scripts the button does.

const form = document.querySelector('form.builder');
let asking = new AbortController();

form.addEventListener('change', async ({ target }) => {
  if (target.name === 'categories' && target.checked) untickRelatives(target);
  const given = [...new FormData(form)].filter(([, value]) => value.trim() !== '');
  const address = `subscribe?${new URLSearchParams(given)}`;
  asking.abort();
  asking = new AbortController();
  try {
    const response = await fetch(address, { signal: asking.signal });
    if (!response.ok) return;
    show(new DOMParser().parseFromString(await response.text(), 'text/html'));
    history.replaceState(null, '', address);
  } catch {
    // The next choice came first, or there is no network: the button says what is wrong.
  }
});

/** A category means all of its subcategories, so that only one of them is ticked. */
function untickRelatives(box) {
  const [parent, ...children] = box.closest('.group').querySelectorAll('input');
  for (const other of box === parent ? children : [parent]) other.checked = false;
}

function show(page) {
  for (const selector of ['.count', '#results']) {
    document.querySelector(selector).replaceChildren(...page.querySelector(selector).childNodes);
  }
  document.title = page.title;
  dispatchEvent(new Event('renewed'));
}
