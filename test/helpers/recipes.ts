/** The edits of somebody who follows the recipes of docs/contributing.md. */
import { theBlock } from '../readme/blocks.ts';

/** Fields, by the table of `src/calendar/fields.ts` that gets them. */
export const ENTRIES: Readonly<Record<string, string>> = {
  EVENT: `recipeDoors: { kind: 'line', en: 'When doors open.', nb: 'Når dørene åpner.', source: 'when doors open',
    schemaOrg: 'doorTime', listed: true, csv: { about: 'when doors open', names: 'dorene apner' } },`,
  VENUE: `recipePhone: { kind: 'line', en: 'Telephone.', nb: 'Telefon.', source: 'a telephone number',
    schemaOrg: 'telephone', csv: { about: 'the telephone of the place', names: 'stedets telefon' } },`,
};

/** No rule of this tree: so its own tests do not name it. */
const RULE = ['B', 99].join('');

/** The filter that the page has as an example: its column, and its entry in this table. */
const TABLE = 'export const TICKETS = {\n';
const [COLUMN = '', ENTRY = ''] = theBlock({ language: 'ts', says: /^export const TICKETS/m }).text.split(
  TABLE,
);

/** Additions by file: each is put before a text that the file has once. */
export const ADDED: Readonly<Record<string, readonly (readonly [before: string, text: string])[]>> = {
  // A filter with a column of its own.
  'src/snapshot/filters/tickets.ts': [
    [TABLE, COLUMN],
    ['  cancelledNotIncluded: filter({', ENTRY.replace(/};\n$/, '')],
    ['keepFlagged, removeFlagged }', 'keepEvents, valuesOf, '],
  ],
  'test/oracle/conditions.ts': [
    ['onlyFeatured onlyFeaturedSpecialEvent', 'refundable '],
    [
      '  onlyFeatured: (_, { event }) =>',
      '  refundable: (_, { event }) => (event.record.cancellationPeriod ?? null) !== null,\n',
    ],
  ],
  'test/src/serve/filters.test.ts': [
    ['    isFeaturedInSpecialEvent: true,', '    cancellationPeriod: 24,\n'],
    [
      '  onlyFeatured: { found',
      "  refundable: { found: { ids: 'b', values: [true] }, other: { ids: ALL, values: [false, null] } },\n",
    ],
    ['const FILTERS: {', `test('${RULE}: should have a rule', () => undefined);\n\n`],
  ],
  'docs/rules.md': [['## C. Facets', `### ${RULE}. Refunds\n\nIts filter: what can be cancelled.\n\n`]],
  // A feed.
  'src/annexes/feeds/feeds.ts': [
    ["import { writeCsv } from './csv.ts';", "import { listedEventOf } from '../events/values.ts';\n"],
    [
      "  {\n    path: '/events.csv'",
      `  { path: '/events.txt', about: 'Titles.', answer: { about: 'A line an event.' }, type: 'text/plain; charset=utf-8',
        *write({ events, language }) { for (const node of events) yield \`\${listedEventOf(node, language).title.text}\\n\`; } },\n`,
    ],
  ],
  // A message: an error's code, its status, and its meaning for developers.
  'src/calendar/errors.ts': [["  'OVERLOADED',", "  'TEAPOT',\n"]],
  'src/serve/http/replies.ts': [['  OVERLOADED: 503', '  TEAPOT: 418,\n']],
  'src/annexes/pages/developer/errors.ts': [
    ['  OVERLOADED: {', "  TEAPOT: { nb: 'Dette er en tekanne.', en: 'This is a teapot.' },\n"],
  ],
  // An annex with a setting.
  'test/settings.test.ts': [['    organization: null,', "    greeting: 'Hei',\n"]],
  'src/annexes.ts': [['export { keyRing }', "export { greeting } from './annexes/greeting/annex.ts';\n"]],
  '.ci/classes.mjs': [['    listing: STABLE,', '    greeting: EXPERIMENTAL,\n']],
};

export const NEW: Readonly<Record<string, string>> = {
  'src/annexes/greeting/annex.ts': `import type { ServeAnnex } from '../../serve/annex.ts';

const settings = {
  greeting: {
    name: 'ALMANAKK_GREETING', fallback: 'Hei', description: 'What to say.',
    expected: 'a word', parse: (text: string) => (/^[A-Z][a-z]+$/.test(text) ? text : undefined),
  },
} as const;

export const greeting = {
  name: 'greeting', settings, load: () => import('./greeting.ts'),
} as const satisfies ServeAnnex<{ readonly greeting: string }>;
`,
  'src/annexes/greeting/greeting.ts': `import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { fixedReply } from '../../serve/http/representation.ts';

export function create({ settings }: ServeContext<{ readonly greeting: string }>): ServePart {
  const reply = fixedReply({ body: Buffer.from(settings.greeting), type: 'text/plain', cacheControl: 'no-store' });
  const about = { summary: 'Says it.', answer: { about: 'A word.', type: 'text/plain' } };
  return { routes: { '/greeting': { GET: reply, about } } };
}
`,
};

/** Serves a small source, and prints the answers about the additions. */
export const SCRIPT = `
import { refuse } from './src/serve/graphql/refusal.ts';
import { refusalReply } from './src/serve/http/replies.ts';
import { sourceFolder } from './test/helpers/native-source.ts';
import { startBuilt } from './test/helpers/running.ts';
import { readSettings } from './jobs/settings.ts';
const source = sourceFolder({
  'venues.json': [{ id: 'v', name: 'Huset', recipePhone: '73 00 <b>00 01' }],
  'events.json': [{ id: 'e', title_nb: 'Kor', venue: 'v', cancellationPeriod: 24, dates: [{ start: '2031-06-20 19:30' }] }],
  'sources.json': [{ id: 'a', kind: 'csv', file: 'a.csv' }],
  'a.csv': 'Tittel;Start;Sted;Dørene åpner;Stedets telefon\\nVise;20.06.2031 19.30;Kroa;18.45;73 00 00 02\\n',
});
const settings = { greeting: readSettings({ ALMANAKK_GREETING: 'Goddag' }, '/').settings.greeting };
const running = await startBuilt(source, Date.parse('2031-06-01T08:00:00Z') / 1000, { context: { settings } });
const { events } = await running.ask('{ events { data { recipeDoors venue { recipePhone } } } }');
const textOf = async (path, accept = '*/*') =>
  (await running.send(path, { headers: { accept, 'accept-language': 'nb' } })).text;
const page = await textOf('/', 'text/html');
const { doorTime, location } = JSON.parse(await textOf('/events.jsonld'))['@graph'][0];
const csv = (await textOf('/events.csv')).split('\\r\\n').slice(0, 2);
const texts = [await textOf('/events.txt?refundable=true'), await textOf('/greeting')];
const { status } = await refusalReply(refuse('TEAPOT', 'Short and stout.'));
await running.close();
console.log(JSON.stringify({
  fields: events.data.map(({ recipeDoors, venue }) => [recipeDoors, venue.recipePhone]),
  linked: [doorTime, location.telephone],
  csv: csv.map((line) => line.split(',').at(-1)),
  onPage: ['Når dørene åpner.', 'bare det som kan avbestilles', 'TEAPOT'].map((text) => page.includes(text)),
  texts, status,
}));
`;
