/** The request for a list. */

/** The same request would be refused again. */
export class Refusal extends Error {}
const REFUSALS = ['BAD_USER_INPUT', 'BAD_REQUEST', 'QUERY_TOO_COMPLEX'];

/**
 * The address of this script is that of the server. A page may contain elements by others, whose names replace properties of
 * `document`: so the browser's own property is read, and it counts only if it is a script.
 */
const current = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript').get.call(document);
const named = Document.prototype.querySelectorAll.call(document, 'script[src*="/embed.js"]');
const script = [current, ...named].find((element) => element instanceof HTMLScriptElement);
export const endpoint = new URL('embed.json', script?.src ?? location.href).href;

/** Characters of an address that common proxies accept. */
const LONGEST_ADDRESS = 8_000;

/** A GET without headers of its own needs no preflight, and caches can answer it. Throws Refusal. */
export async function fetchList(parameters, { signal, cache }) {
  const address = `${endpoint}?${parameters}`;
  if (address.length > LONGEST_ADDRESS)
    throw new Refusal(
      `expected a filter whose address has at most ${LONGEST_ADDRESS} characters, found ${address.length}`,
    );
  const response = await fetch(address, {
    signal,
    cache,
    // The page's own policy may send its whole address, which may hold personal data of a visitor. `Origin` names its site.
    referrerPolicy: 'no-referrer',
  });
  const { errors, ...list } = await response.json();
  for (const message of list.hints ?? []) console.warn(`almanakk-events: ${message}`);
  if (list.events) return list;
  const [{ message, extensions } = {}] = errors ?? [];
  if (!REFUSALS.includes(extensions?.code)) throw new Error(`HTTP ${response.status}`);
  throw new Refusal((extensions.reasons ?? [message]).join('; '));
}
