// A button that shares the address of an event's date. Without a script there is none, and readers share what the browser shows.

const box = document.querySelector('.share');
const button = box.querySelector('button');
const said = box.querySelector('[role="status"]');

box.hidden = false;
button.addEventListener('click', async () => {
  const { title, url, copied } = button.dataset;
  if (navigator.share) {
    // Whoever changes their mind is told nothing.
    await navigator.share({ title, url }).catch(() => undefined);
    return;
  }
  try {
    await navigator.clipboard.writeText(url);
    said.textContent = copied;
  } catch {
    // Only secure pages have a clipboard.
    said.textContent = url;
  }
});
