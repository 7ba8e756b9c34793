/** Every argument and root field at its largest: the fields that the table of `npm run bench -- --largest` asks for. */

/** Values of the served calendar that the fields name. */
export interface Known {
  readonly ids: readonly string[];
  readonly slugs: readonly string[];
  readonly titles: readonly string[];
  readonly venues: readonly string[];
  readonly organizers: readonly string[];
  readonly categories: readonly string[];
  readonly municipalities: readonly string[];
  readonly postalCodes: readonly string[];
  readonly tags: readonly string[];
  readonly containers: readonly string[];
  readonly snapshot: string;
}

export interface LargestCase {
  /** The argument or root field. */
  readonly name: string;
  /** The reason why it is large. */
  readonly how: string;
  /** The field, for a number that no other field has: no cache of the server knows it. */
  readonly field: (nth: number, known: Known) => string;
  /** Events in the answer to the field, if they are many. */
  readonly events?: number;
  /** The variable `$list` of all fields of a request: as many entries as a list may have. */
  readonly list?: (known: Known) => readonly string[];
}

/** D2: entries of a list in the variables. */
const LONGEST_LIST = 2_000;

/** Keeps nearly all events, and is another one for each of 86,400 numbers. */
const nearlyAll = (nth: number) => {
  const two = (number: number) => String(number).padStart(2, '0');
  return `hoursRange: "00:${two(nth % 60)}-${two(18 + (Math.floor(nth / 3_600) % 6))}:${two(Math.floor(nth / 60) % 60)}"`;
};

const TOTAL = '{ totalCount }';

const filtered =
  (filter: (nth: number, known: Known) => string, selection = TOTAL): LargestCase['field'] =>
  (nth, known) =>
    `events(filter: { ${filter(nth, known)} }) ${selection}`;

/** A condition with values that do not change, among all events. */
const among = (condition: string): LargestCase['field'] =>
  filtered((nth) => `${condition}, ${nearlyAll(nth)}`);

/** A list of the greatest length, of these texts over and over, each with an ending that makes it unique. */
const listOf = (values: readonly string[], suffix: (nth: number) => string = () => ''): readonly string[] =>
  Array.from({ length: LONGEST_LIST }, (_, nth) => `${values[nth % values.length]}${suffix(nth)}`);

const unlike = (nth: number) => `x${nth}`;

/** A term as long as a term may be, of these parts from another one on. */
const termOf = (parts: readonly string[], nth: number): string => {
  let term = '';
  for (let step = 0; term.length < LONGEST_TERM; step++) {
    const turn = Math.floor(nth / parts.length) + 1;
    term += `${parts[(nth + step * turn) % parts.length]} `;
  }
  return term.slice(0, LONGEST_TERM).trim();
};

const LONGEST_TERM = 256;

const searching = (term: (nth: number, known: Known) => string): LargestCase['field'] =>
  filtered((nth, known) => `searchTerm: ${JSON.stringify(term(nth, known))}`);

/** Thirty words of titles; the fields of a request have the same ones in another order, because a request may search for 128. */
const titleOf = (titles: readonly string[], nth: number): string => {
  const first = 8 * Math.floor(nth / 21);
  const words = titles
    .slice(first % 1_900, (first % 1_900) + 8)
    .join(' ')
    .split(' ')
    .slice(0, 30);
  const turn = nth % words.length;
  return [...words.slice(turn), ...words.slice(0, turn)].join(' ');
};

const LETTERS = [...'eatinrsoldkgmvfupbhjy'];
/** Frequent ones: nearly every event has a word with each. */
const PAIRS =
  'er en de et te an st re in or ge le me nd se ar ti il ng ke for ve el al og ne es ed is on sk ra ta ri la at li he om it nt ma ka ro so fr ag'.split(
    ' ',
  );
const TRIPLES =
  'kon ser ert med for kveld ing ten and the der ste ter est nde lle ver sam mus ikk tea fam lie bar fes iva val dan ser kin lit utv'.split(
    ' ',
  );
const SIGNS = [
  '.',
  ',',
  '-',
  '!',
  ':',
  'a.',
  'e.',
  'n.',
  't.',
  'r.',
  'e,',
  'n,',
  't,',
  'r,',
  's.',
  'd.',
  'g.',
];
const NEARLY =
  'konsret mussikk familei teatter festval kvedlen sangne utsiling dnas foredrga byenx kveld'.split(' ');

const ALL_FACETS = [
  'venues',
  'organizers',
  'categories',
  'days',
  'municipalities',
  'tags',
  'accessibilities',
];
const EACH_DAY = 'groupRepetitionsByDay: true';
const facet = (selection: string): LargestCase['field'] =>
  filtered((nth) => `${EACH_DAY}, ${nearlyAll(nth)}`, `{ ${selection} }`);
const hitsOf = (names: readonly string[], first: string) =>
  names.map((name) => `${name}${first} { hits }`).join(' ');

const moment = (nth: number) => {
  const seconds = String(nth % 60).padStart(2, '0');
  const minutes = String(Math.floor(nth / 60) % 60).padStart(2, '0');
  const hours = String(Math.floor(nth / 3_600) % 24).padStart(2, '0');
  return `${hours}:${minutes}:${seconds}+01:00`;
};
/** Before the first event. */
const soon = (nth: number) => `"2026-01-01 ${moment(nth)}"`;
/** After the last one. */
const late = (nth: number) => `"2099-01-01 ${moment(nth)}"`;

const list = (argument: string): LargestCase['field'] => among(`${argument}: $list`);

function lists(name: string, of: (known: Known) => readonly string[]): readonly LargestCase[] {
  return [
    { name, how: 'all that there are', field: list(name), list: (known) => listOf(of(known)) },
    { name, how: '2,000 unknown', field: list(name), list: (known) => listOf(of(known), unlike) },
  ];
}

function text(name: string, of: (known: Known) => readonly string[]): readonly LargestCase[] {
  const at = (values: readonly string[], nth: number) => values[nth % values.length] ?? '';
  const field = (suffix: (nth: number) => string) =>
    filtered(
      (nth, known) => `${name}: ${JSON.stringify(at(of(known), nth) + suffix(nth))}, ${nearlyAll(nth)}`,
    );
  return [
    { name, how: 'known', field: field(() => '') },
    { name, how: 'unknown', field: field(unlike) },
  ];
}

const WORLD = 'minLatitude: -90, maxLatitude: 90, minLongitude: -180, maxLongitude: 180';

const ARGUMENTS: readonly LargestCase[] = [
  { name: 'fromDate', how: 'before all', field: filtered((nth) => `fromDate: ${soon(nth)}`) },
  {
    name: 'fromDate',
    how: 'in four weeks',
    field: filtered((nth) => `fromDate: ${soon(nth).replace('2026-01', '2027-01')}`),
  },
  { name: 'untilDate', how: 'after all', field: filtered((nth) => `untilDate: ${late(nth)}`) },
  { name: 'fromStartDate', how: 'before all', field: filtered((nth) => `fromStartDate: ${soon(nth)}`) },
  { name: 'period', how: 'WEEK', field: among('period: WEEK') },
  { name: 'groupRepetitionsByDay', how: 'true', field: among(EACH_DAY) },
  { name: 'hoursRange', how: 'nearly all', field: filtered(nearlyAll) },
  ...lists('categories', ({ categories }) => categories),
  ...lists('notCategories', ({ categories }) => categories),
  ...lists('venues', ({ venues }) => venues),
  ...text('venueSlug', ({ venues }) => venues),
  ...lists('organizers', ({ organizers }) => organizers),
  ...text('organizerSlug', ({ organizers }) => organizers),
  ...text('tag', ({ tags }) => tags),
  ...text('superEvent', ({ containers }) => containers),
  ...text('municipality', ({ municipalities }) => municipalities),
  {
    name: 'municipalities',
    how: 'all that there are',
    field: among('municipalities: $names'),
    list: ({ municipalities }) => listOf(municipalities),
  },
  {
    name: 'municipalities',
    how: '2,000 unknown',
    field: among('municipalities: $names'),
    list: ({ municipalities }) => listOf(municipalities, unlike),
  },
  ...lists('postalCodes', ({ postalCodes }) => postalCodes),
  { name: 'near', how: '1,000 km', field: among('near: { latitude: 63.4, longitude: 10.4, km: 1000 }') },
  { name: 'area', how: 'the world', field: among(`area: { ${WORLD} }`) },
  { name: 'mode', how: 'offline', field: among('mode: "offline"') },
  {
    name: 'flags',
    how: 'all at once',
    field: among(
      'free: true, onlyFeatured: true, onlyFeaturedSpecialEvent: true, cancelledNotIncluded: true, soldOutNotIncluded: true',
    ),
  },
  {
    name: 'accessibility',
    how: 'all eight',
    field: among(
      'accessibility: [WHEELCHAIR, HEARING_LOOP, SIGN_LANGUAGE, SUBTITLES, AUDIO_DESCRIPTION, RELAXED, ASSISTANCE_DOG, ACCESSIBLE_TOILET]',
    ),
  },
  { name: 'searchTerm', how: 'letters', field: searching((nth) => termOf(LETTERS, nth)) },
  { name: 'searchTerm', how: 'pairs of letters', field: searching((nth) => termOf(PAIRS, nth)) },
  { name: 'searchTerm', how: 'three letters', field: searching((nth) => termOf(TRIPLES, nth)) },
  { name: 'searchTerm', how: 'letters and signs', field: searching((nth) => termOf(SIGNS, nth)) },
  {
    name: 'searchTerm',
    how: 'letters, none literally',
    field: searching((nth) => `${termOf(LETTERS, nth).slice(0, 200)} qzq${nth}`),
  },
  {
    name: 'searchTerm',
    how: 'typing errors',
    field: searching((nth) => `${termOf(NEARLY, nth).slice(0, 248)} ${nth}`),
  },
  {
    name: 'searchTerm',
    how: 'a title of 30 words',
    field: searching((nth, { titles }) => titleOf(titles, nth)),
  },
  {
    name: 'page',
    how: 'the last one',
    field: (nth) => `events(page: ${1_999 + nth}, filter: { ${nearlyAll(nth)} }) { data { id } }`,
  },
  {
    name: 'pageSize',
    how: '1,000',
    field: (nth) =>
      `events(pageSize: 1000, page: ${nth % 20}, filter: { ${nearlyAll(nth)} }) { data { id } }`,
    events: 1_000,
  },
];

const FACETS: readonly LargestCase[] = ALL_FACETS.flatMap((name) => [
  { name, how: 'first: 1', field: facet(`${name}(first: 1) { hits }`) },
  { name, how: 'all', field: facet(hitsOf([name], '')) },
]);

const ALL: LargestCase = {
  name: 'all facets',
  how: 'first: 1',
  field: facet(hitsOf(ALL_FACETS, '(first: 1)')),
};

const AT = (values: readonly string[], nth: number) => JSON.stringify(values[nth % values.length]);

const ROOTS: readonly LargestCase[] = [
  { name: 'eventByID', how: 'known', field: (nth, { ids }) => `eventByID(eventID: ${AT(ids, nth)}) { id }` },
  {
    name: 'eventByID',
    how: 'long',
    field: (nth) => `eventByID(eventID: "${'x'.repeat(5_000)}${nth}") { id }`,
  },
  {
    name: 'eventBySlug',
    how: 'known',
    field: (nth, { slugs }) => `eventBySlug(eventSlug: ${AT(slugs, nth)}) { id }`,
  },
  {
    name: 'eventsBySlugs',
    how: '1,000 known',
    field: () => 'eventsBySlugs(eventsSlugs: $slugs) { id }',
    list: ({ slugs }) => slugs.slice(0, LONGEST_LIST / 2),
    events: 1_000,
  },
  {
    name: 'eventsBySlugs',
    how: '2,000 unknown',
    field: () => 'eventsBySlugs(eventsSlugs: $slugs) { id }',
    list: ({ slugs }) => listOf(slugs, unlike),
  },
  {
    name: 'eventByTitle',
    how: 'known',
    field: (nth, { titles }) => `eventByTitle(title: ${AT(titles, nth)}, lan: "nb") { id }`,
  },
  { name: 'allUpcomingSuperEvents', how: 'all', field: () => 'allUpcomingSuperEvents { id }' },
  {
    name: 'allUpcomingEventsInArea',
    how: 'empty',
    field: (nth) =>
      `allUpcomingEventsInArea(minLatitude: 0, maxLatitude: ${1 + nth / 1e6}, minLongitude: 0, maxLongitude: 1) { id }`,
  },
  { name: 'categories', how: 'all', field: () => 'categories { id name_nb subcategories { id name_nb } }' },
  { name: 'venues', how: 'all', field: () => 'venues { id }' },
  { name: 'organizers', how: 'all', field: () => 'organizers { id }' },
  {
    name: 'calendar',
    how: 'all',
    field: () => 'calendar { id name snapshot { id builtAt events } nextChange }',
  },
  {
    name: 'changes',
    how: 'since the build',
    field: (_, { snapshot }) => `changes(since: "${snapshot}") { added changed removed }`,
  },
  {
    name: '__schema',
    how: 'all types',
    field: (nth) => `__schema { types { n${nth}: name fields { name type { name kind } } } }`,
  },
  {
    name: '__type',
    how: 'Event',
    field: () => '__type(name: "Event") { fields { name description type { name ofType { name } } } }',
  },
];

export const CASES: readonly LargestCase[] = [...ARGUMENTS, ...FACETS, ALL, ...ROOTS];
