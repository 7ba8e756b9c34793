/** Recipes of docs/contributing.md, followed in one copy of the tree: a field, a filter, a feed, a message, an annex with a setting. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { temporaryFolder } from './helpers/folder.ts';

const recipe = suite('recipe');

/** By the table of `src/calendar/fields.ts` that gets them. */
const ENTRIES = {
  EVENT: `doorsTime: { kind: 'line', en: 'When doors open.', nb: 'Når dørene åpner.', source: 'when doors open',
    schemaOrg: 'doorTime', csv: { about: 'when doors open', names: 'dorene apner' } },`,
  VENUE: `phone: { kind: 'line', en: 'Telephone.', nb: 'Telefon.', source: 'a telephone number',
    schemaOrg: 'telephone', csv: { about: 'the telephone of the place', names: 'stedets telefon' } },`,
};

/** By the file that gets them: what is added before which line. */
const ADDED: Readonly<Record<string, readonly (readonly [before: string, text: string])[]>> = {
  // A filter.
  'src/serve/graphql/schema.graphql': [
    ['  onlyFeatured: Boolean', '  onlyCancelled: Boolean\n  "As before."\n'],
  ],
  'src/serve/query/plan.ts': [['  onlyFeatured: flag', '  onlyCancelled: flag,\n']],
  'src/serve/query/select.ts': [
    [
      '  onlyFeatured: (rows',
      "  onlyCancelled: (rows, _, { columns }) => keepCommon(rows, rowsFlagged(columns, 'cancelled')),\n",
    ],
  ],
  // A feed.
  'src/annexes/feeds/feeds.ts': [
    ['import { writeCsv }', "import { feedEventOf } from '../events/values.ts';\n"],
    [
      "  {\n    path: '/events.csv'",
      `  { path: '/events.txt', about: 'Titles.', answer: { about: 'A line an event.' }, type: 'text/plain; charset=utf-8',
        *write({ events, language }) { for (const node of events) yield feedEventOf(node, language).title.text + '\\n'; }, count: () => 1 },\n`,
    ],
  ],
  // A message: an error's code, its status, and its meaning for developers.
  'src/calendar/errors.ts': [["  'OVERLOADED',", "  'TEAPOT',\n"]],
  'src/serve/http/replies.ts': [['  OVERLOADED: 503', '  TEAPOT: 418,\n']],
  'src/annexes/pages/developer/reference.ts': [
    ['  OVERLOADED: {', "  TEAPOT: { nb: 'Dette er en tekanne.', en: 'This is a teapot.' },\n"],
    ["  'Filter.onlyFeatured':", "  'Filter.onlyCancelled': 'Sann: bare det som er avlyst.',\n"],
  ],
  // An annex with a setting.
  'src/annexes.ts': [['export { listing }', "export { greeting } from './annexes/greeting/annex.ts';\n"]],
};

const NEW: Readonly<Record<string, string>> = {
  'src/annexes/greeting/annex.ts': `
import type { ServeAnnex } from '../../serve/annex.ts';
const settings = { greeting: { name: 'ALMANAKK_GREETING', fallback: 'Hei', description: 'What to say.',
  expected: 'a word', parse: (text: string) => (/^[A-Z][a-z]+$/.test(text) ? text : undefined) } } as const;
export const greeting = {
  name: 'greeting', settings, load: () => import('./greeting.ts'),
} as const satisfies ServeAnnex<{ readonly greeting: string }>;
`,
  'src/annexes/greeting/greeting.ts': `
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { fixedReply } from '../../serve/http/representation.ts';
export function create({ settings }: ServeContext<{ readonly greeting: string }>): ServePart {
  const reply = fixedReply({ body: Buffer.from(settings.greeting), type: 'text/plain', cacheControl: 'no-store' });
  return { routes: { '/greeting': { GET: reply, about: { summary: 'Says it.', answer: { about: 'A word.', type: 'text/plain' } } } } };
}
`,
};

const TABLE =
  'Tittel;Start;Sted;Dørene åpner;Stedets telefon\nVise;20.06.2031 19.30;Kroa;18.45;73 00 00 02\n';

/** Writes the JSON Schemas anew, serves a small source, and prints what it says of the fields. */
const SCRIPT = `
import { writeFileSync } from 'node:fs';
import { norwegianOf } from './src/calendar/fields.ts';
import { EVENT_ITSELF as EVENT, VENUE } from './jobs/annexes/feeds/mirror/forms.ts';
import { nativeSchemas } from './test/readme/native-schema.ts';
import { sourceFolder } from './test/helpers/native-source.ts';
import { startBuilt } from './test/helpers/running.ts';
import { generatedTables } from './test/readme/generated.ts';
import { refuse } from './src/serve/graphql/refusal.ts';
import { refusalReply } from './src/serve/http/replies.ts';
import { readSettings } from './jobs/settings.ts';
for (const [name, text] of Object.entries(nativeSchemas())) writeFileSync('docs/' + name, text);
const dates = [{ start: '2031-06-20 19:30' }];
const source = sourceFolder({
  'venues.json': [{ id: 'v', name: 'Huset', phone: '73 00 <b>00 01' }],
  'events.json': [{ id: 'e', title_nb: 'Kor', venue: 'v', doorsTime: '18:30', eventCancelled: true, dates }],
  'sources.json': [{ id: 'a', kind: 'csv', file: 'a.csv' }],
  'a.csv': ${JSON.stringify(TABLE)},
});
const settings = { greeting: readSettings({ ALMANAKK_GREETING: 'Goddag' }, '/').settings.greeting };
const running = await startBuilt(source, Date.parse('2031-06-01T08:00:00Z') / 1000, { context: { settings } });
const data = await running.ask('{ events { data { doorsTime venue { phone } } venues { phone } } }');
const cancelled = await running.ask('{ events(filter: { onlyCancelled: true }) { data { id } } }');
const textOf = async (path) => (await running.send(path, { headers: HTML })).text;
const HTML = { accept: '*/*', 'accept-language': 'nb' };
const feed = JSON.parse(await textOf('/events.jsonld'));
const page = (await running.send('/', { headers: { accept: 'text/html', 'accept-language': 'nb' } })).text;
const [titles, greeting] = [await textOf('/events.txt?onlyCancelled=true'), await textOf('/greeting')];
const { status } = await refusalReply(refuse('TEAPOT', 'Short and stout.'));
let refused = '';
try { readSettings({ ALMANAKK_GREETING: 'x' }, '/'); } catch (thrown) { refused = thrown.message; }
const tables = JSON.stringify(await generatedTables());
await running.close();
const [{ doorTime, location }] = feed['@graph'];
console.log(JSON.stringify({
  data, doorTime, telephone: location.telephone, 
  onPage: ['Når dørene åpner.', 'bare det som er avlyst', 'TEAPOT'].map((text) => page.includes(text)),
  cancelled, titles, greeting, status, refused, inReadme: tables.includes('ALMANAKK_GREETING'),
  norwegian: norwegianOf('Venue', 'phone'), mirror: [EVENT.doorsTime, VENUE.phone],
}));
`;

recipe(
  'should bring a field from each source everywhere by one entry, and each other thing by its files',
  async () => {
    const copy = temporaryFolder();
    for (const path of ['src', 'jobs', 'docs', 'data/sample', 'package.json', 'tsconfig.json'])
      cpSync(packagePath(path), join(copy, path), { recursive: true });
    for (const path of ['helpers', 'readme', 'serve', 'bench'])
      cpSync(packagePath(`test/${path}`), join(copy, 'test', path), { recursive: true });
    symlinkSync(packagePath('node_modules'), join(copy, 'node_modules'));
    const fields = 'src/calendar/fields.ts';
    let table = readFileSync(packagePath(fields), 'utf8');
    for (const [name, entry] of Object.entries(ENTRIES)) {
      const start = table.indexOf(`export const ${name} = {`);
      const end = table.indexOf('} as const', start);
      table = `${table.slice(0, end)}${entry}\n${table.slice(end)}`;
    }
    writeFileSync(join(copy, fields), table);
    for (const [path, additions] of Object.entries(ADDED)) {
      let text = readFileSync(packagePath(path), 'utf8');
      for (const [before, more] of additions) {
        assert.ok(text.includes(before), `${path}: ${before}`);
        text = text.replace(before, () => more + before);
      }
      writeFileSync(join(copy, path), text);
    }
    for (const [path, text] of Object.entries(NEW)) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    writeFileSync(join(copy, 'script.mts'), SCRIPT);
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'script.mts'], {
      cwd: copy,
    });
    assert.equal(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''), {
      data: {
        events: {
          data: [
            { doorsTime: '18.45', venue: { phone: '73 00 00 02' } },
            { doorsTime: '18:30', venue: { phone: '73 00 00 01' } },
          ],
          venues: [{ phone: '73 00 00 01' }, { phone: '73 00 00 02' }],
        },
      },
      doorTime: '18.45',
      telephone: '73 00 00 02',
      onPage: [true, true, true],
      cancelled: { events: { data: [{ id: 'e' }] } },
      titles: 'Kor\n',
      greeting: 'Goddag',
      status: 418,
      refused: 'ALMANAKK_GREETING: expected a word, found "x"',
      inReadme: true,
      norwegian: 'Telefon.',
      mirror: ['text', 'text'],
    });
    const differs = (path: string) =>
      readFileSync(join(copy, path), 'utf8') !== readFileSync(packagePath(path), 'utf8');
    const schemas = ['events', 'venues', 'organizers', 'licence', 'notices', 'sources'];
    // What is made from the table, and for both fields together; CHANGELOG.md and test/interface.test.ts are by hand.
    assert.equal(
      schemas.filter((name) => differs(`docs/${name}.schema.json`)),
      ['events', 'venues', 'sources'],
    );
  },
);

recipe.run();
