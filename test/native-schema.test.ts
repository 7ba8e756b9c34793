/** The JSON Schemas in docs/: up to date, and of one mind with a build. */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TABLE_FIELDS } from '../jobs/annexes/feeds/table-fields.ts';
import { packagePath } from '../src/package.ts';
import { validated } from './helpers/native-source.ts';
import { nativeSchemas } from './readme/native-schema.ts';

const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true });
const jsonAt = (path: string): unknown => JSON.parse(readFileSync(packagePath(path), 'utf8'));
const compiled = new Map<string, ValidateFunction>();
function schema(name: string): ValidateFunction {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const made = ajv.compile(jsonAt(`docs/${name}.schema.json`) as object);
  compiled.set(name, made);
  return made;
}

const test = suite('schemas for editors');

for (const [name, text] of Object.entries(nativeSchemas())) {
  test(`should have docs/${name} as the definitions of the build have it`, () => {
    const written = readFileSync(packagePath(`docs/${name}`), 'utf8');
    assert.ok(written === text, 'run: node --import tsx test/readme/update.ts');
  });
}

for (const list of ['licence', 'venues', 'organizers', 'events']) {
  test(`should accept ${list}.json of the sample`, () => {
    const check = schema(list);
    assert.ok(check(jsonAt(`data/sample/${list}.json`)), ajv.errorsText(check.errors));
  });
}

const EVENT = { id: 'e', title_nb: 'Kor', dates: [{ start: '2031-06-20 19:30' }] };

/** Events, each good or bad in the eyes of both; of those that are only marked, a build leaves out a value (G2). */
const EVENTS: readonly (readonly [what: string, event: unknown, isGood: boolean | 'marked'])[] = [
  ['no more than it needs', EVENT, true],
  ['null for what it leaves out', { ...EVENT, venue: null, prices: null }, true],
  ['whole days', { ...EVENT, dates: [{ start: '2031-06-20', end: '2031-06-22' }] }, true],
  ['an instant', { ...EVENT, dates: [{ start: '2031-06-20T17:30:00.000Z' }] }, true],
  [
    'a repeat',
    { id: 'e', title_en: 'Choir', repeats: [{ rule: 'FREQ=DAILY', start: '2031-06-20 19:30' }] },
    true,
  ],
  ['a container', { id: 'e', title_nb: 'Fest', isSuperEvent: true }, true],
  ['a price as text', { ...EVENT, prices: [{ type: 'REGULAR', price: '100 kr' }] }, true],
  ['no id', { ...EVENT, id: undefined }, false],
  ['a blank id', { ...EVENT, id: ' ' }, false],
  ['no title', { ...EVENT, title_nb: undefined }, false],
  ['a blank title', { ...EVENT, title_nb: '' }, false],
  ['no dates', { ...EVENT, dates: [] }, false],
  ['a date in another form', { ...EVENT, dates: [{ start: '20. juni 2031' }] }, false],
  ['a date without a start', { ...EVENT, dates: [{ end: '2031-06-20 19:30' }] }, false],
  ['categories as a text', { ...EVENT, categories: 'MUSIC' }, 'marked'],
  ['a mode that there is not', { ...EVENT, mode: 'hybrid' }, 'marked'],
  ['an age with a fraction', { ...EVENT, minimumAge: 17.5 }, 'marked'],
  ['a price without a type', { ...EVENT, prices: [{ price: 100 }] }, 'marked'],
  ['a picture without bounds', { ...EVENT, images: [{ focusX: 2 }] }, 'marked'],
  ['no record', 'Kor', false],
];

for (const [what, event, isGood] of EVENTS) {
  const does = isGood === 'marked' ? 'mark' : isGood ? 'accept' : 'refuse';
  test(`F3: should ${does} an event with ${what}, as a build does`, async () => {
    const written = JSON.parse(JSON.stringify([event]));
    assert.is(schema('events')(written), isGood === true);
    const { events, summary } = await validated({ 'events.json': written });
    assert.is(events.length, isGood === false ? 0 : 1);
    assert.is(summary.actions['dropped value'], isGood === 'marked' ? 1 : 0);
  });
}

/** What else an editor should mark. */
const MARKED: readonly (readonly [name: string, value: unknown])[] = [
  ['events', [{ ...EVENT, titel_en: 'Choir' }]],
  ['events', { events: [EVENT] }],
  ['venues', [{ id: 'v' }]],
  ['venues', [{ id: 'v', name: 'Huset', latitude: 91 }]],
  ['organizers', [{ id: 'o', name: '' }]],
  ['licence', { id: 'l', name: 'L', siteUrl: 'lillevik.example', categories: [] }],
  ['licence', { id: 'l', name: 'L', siteUrl: 'https://lillevik.example' }],
  ['sources', [{ id: 'a', kind: 'rss', url: 'https://a.example/' }]],
  ['sources', [{ id: 'a', kind: 'csv', file: 'a.csv', colums: {} }]],
  ['sources', [{ id: 'a', kind: 'csv', file: 'a.csv', columns: { titel: 'Tittel' } }]],
  ['sources', [{ id: 'a', kind: 'csv', file: 'a.csv', columns: { venue: { text: 'Kino' } } }]],
  ['sources', [{ id: 'a', kind: 'csv', file: 'a.csv', columns: { venue: 0 } }]],
  ['notices', [{ id: 'n', from: '2027-01-01' }]],
  ['duplicates', [['a', 'b']]],
  ['duplicates', { same: [['a']] }],
  ['duplicates', { same: ['a', 'b'] }],
  ['duplicates', { diferent: [['a', 'b']] }],
  [
    'licence',
    { id: 'l', name: 'L', siteUrl: 'https://lillevik.example', categories: [], duplicates: 'merg' },
  ],
  ['venues', [{ id: 'v', name: 'V', aliases: 'Huset' }]],
];

for (const [name, value] of MARKED) {
  test(`should refuse in ${name}.json: ${JSON.stringify(value)}`, () => {
    assert.is(schema(name)(value), false);
  });
}

test('should accept feeds of every kind', () => {
  const check = schema('sources');
  const feeds = [
    {
      id: 'a',
      kind: 'ical',
      url: 'https://a.example/',
      map: { Konsert: 'MUSIC' },
      defaults: { mode: 'online' },
    },
    {
      id: 'b',
      kind: 'csv',
      file: 'b.csv',
      columns: { title_nb: 2, start: 'Når', venue: { value: 'Kino' }, prices: ['Voksen', 'Barn'] },
      format: 'DD.MM.YYYY',
    },
    { id: 'c', kind: 'jsonld', url: ['https://a.example/1', 'https://a.example/2'] },
    { id: 'd', kind: 'graphql', url: 'https://a.example/graphQL', keepIds: true, categories: 'import' },
  ];
  assert.ok(check(feeds), ajv.errorsText(check.errors));
});

test('should say in an editor what stands in each column, and not what an event’s field of that name is', () => {
  const { definitions } = jsonAt('docs/sources.schema.json') as {
    readonly definitions: { readonly feed: { readonly properties: { readonly columns: unknown } } };
  };
  const said = JSON.stringify(definitions.feed.properties.columns);
  for (const [field, { about }] of Object.entries(TABLE_FIELDS))
    assert.ok(said.includes(`"${field}":{"description":${JSON.stringify(about)}`), field);
});

test('should tell editors of the schemas, and builds nothing', async () => {
  const settings = jsonAt('.vscode/settings.json') as {
    readonly 'json.schemas': readonly { readonly url: string }[];
  };
  const urls = settings['json.schemas'].map(({ url }) => url);
  assert.equal(
    urls.sort(),
    Object.keys(nativeSchemas())
      .map((name) => `./docs/${name}`)
      .sort(),
  );
  const { $schema } = jsonAt('data/sample/licence.json') as { readonly $schema: string };
  assert.is($schema, '../../docs/licence.schema.json');
  const licence = { ...(jsonAt('data/sample/licence.json') as object), $schema: 'x' };
  assert.equal((await validated({ 'licence.json': licence })).summary.ignored, []);
});

test.run();
