// <almanakk-events>: the calendar on any page, as one custom element.
//
//   <script src="https://calendar.example/embed.js" defer></script>
//   <almanakk-events categories="MUSIC" limit="5" lang="nb" heading="Konserter"></almanakk-events>
//
// Attributes are the fields of the filter (lists with commas, flags as `true`), `limit`, `lang`, `heading`, `pictures`, `theme` and `key`, and
// `nearMe`: a number of kilometres around the reader, whose position a button requests. `link` is the address of the page's own event pages,
// and `home` that of its own calendar, to which the name of the calendar then leads. The element's content is shown if the calendar cannot be
// reached. A page's content security policy only needs this server in `script-src` and `connect-src`, and with `pictures` the hosts of pictures
// in `img-src`. The console lists the mistakes in a page's attributes.

/** Each field of the filter by its kind: `list`, `flag`, `number`, `text`, or the names of several numbers. The server writes them here. */
const FIELDS = {};

/** HTML has attributes in lower case only. */
const OTHERS = ['limit', 'lang', 'heading', 'pictures', 'key', 'nearMe', 'link', 'home'];
export const ATTRIBUTES = [...Object.keys(FIELDS), ...OTHERS].map((name) => name.toLowerCase());

/** The names of the element's attributes that mean nothing. Names with a hyphen belong to frameworks, and properties of the element to HTML. */
export function unknownAttributes(element) {
  const known = new Set([...ATTRIBUTES, 'theme', 'class', 'tabindex']);
  return element
    .getAttributeNames()
    .filter((name) => /^[a-z]+$/.test(name) && !known.has(name) && !(name in element));
}

/** The parameters of an address, without their name, for the value of an attribute. Equal lists have equal addresses, so caches share them. */
const KINDS = {
  list: (value) => [sorted(value.split(','))],
  words: (value) => sorted(value.trim().split(/\s+/)),
  flag: (value) => [value === 'true'],
  number: (value) => [Number(value)],
  text: (value) => [value],
};

function sorted(values) {
  return values.map((one) => one.trim()).sort();
}

/** The element's filter, as the parameters of an address. */
export function filterOf(element) {
  const parameters = new URLSearchParams();
  for (const [name, kind] of Object.entries(FIELDS)) {
    const value = element.getAttribute(name) ?? '';
    if (value.trim() === '') continue;
    const values = Array.isArray(kind) ? [numbersOf(value, kind.length)] : KINDS[kind](value);
    for (const one of values) parameters.append(name, one);
  }
  return parameters;
}

/** So many numbers between commas. */
function numbersOf(value, count) {
  const numbers = value.split(',').map(Number);
  return Array.from({ length: count }, (_, at) => numbers[at]);
}

export function limitOf(element) {
  const limit = Number.parseInt(element.getAttribute('limit') ?? '', 10);
  return Math.min(Math.max(limit || DEFAULT_LIMIT, 1), MOST_EVENTS);
}

const DEFAULT_LIMIT = 5;
const MOST_EVENTS = 100;

/** The kilometres of `nearMe`. */
export function nearKmOf(element) {
  return Number.parseFloat(element.getAttribute('nearMe')) || NEAR_KM;
}

const NEAR_KM = 10;
