/** The JSON Schemas in docs/ agree with a build. */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TABLE_FIELDS } from '../jobs/annexes/feeds/table-fields.ts';
import { packagePath } from '../src/package.ts';
import { assertIncludes } from './helpers/assertions.ts';
import { hasKind } from './helpers/feed-kinds.ts';
import { validated } from './helpers/native-source.ts';
import { nativeSchemas } from './readme/native-schema.ts';

const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true });
const jsonAt = (path: string): unknown => JSON.parse(readFileSync(packagePath(path), 'utf8'));
const compiled = new Map<string, ValidateFunction>();
function schema(name: string): ValidateFunction {
  const made = compiled.get(name) ?? ajv.compile(jsonAt(`docs/${name}.schema.json`) as object);
  compiled.set(name, made);
  return made;
}

const test = suite('schemas for editors');

test('F1: should accept each file of the sample', () => {
  for (const list of ['licence', 'venues', 'organizers', 'events']) {
    const check = schema(list);
    assert.ok(check(jsonAt(`data/sample/${list}.json`)), `${list}: ${ajv.errorsText(check.errors)}`);
  }
});

const EVENT = { id: 'e', title_nb: 'Kor', dates: [{ start: '2031-06-20 19:30' }] };

interface EventCase {
  readonly what: string;
  readonly event: unknown;
  /** `marked`: the schema marks a value, which a build leaves out (G2). */
  readonly verdict: 'accepted' | 'marked' | 'refused';
}

/** Events, with how both the schema and a build read them. */
const EVENTS: readonly EventCase[] = [
  { what: 'no more than it needs', event: EVENT, verdict: 'accepted' },
  {
    what: 'null for what it leaves out',
    event: { ...EVENT, venue: null, prices: null },
    verdict: 'accepted',
  },
  {
    what: 'whole days',
    event: { ...EVENT, dates: [{ start: '2031-06-20', end: '2031-06-22' }] },
    verdict: 'accepted',
  },
  {
    what: 'an instant',
    event: { ...EVENT, dates: [{ start: '2031-06-20T17:30:00.000Z' }] },
    verdict: 'accepted',
  },
  {
    what: 'a repeat',
    event: { ...EVENT, dates: null, repeats: [{ rule: 'FREQ=DAILY', start: '2031-06-20' }] },
    verdict: 'accepted',
  },
  { what: 'a container', event: { id: 'e', title_nb: 'Fest', isSuperEvent: true }, verdict: 'accepted' },
  {
    what: 'a price as text',
    event: { ...EVENT, prices: [{ type: 'REGULAR', price: '100 kr' }] },
    verdict: 'accepted',
  },
  { what: 'a blank id', event: { ...EVENT, id: ' ' }, verdict: 'refused' },
  { what: 'no title', event: { ...EVENT, title_nb: undefined }, verdict: 'refused' },
  { what: 'a blank title', event: { ...EVENT, title_nb: '' }, verdict: 'refused' },
  { what: 'no dates', event: { ...EVENT, dates: [] }, verdict: 'refused' },
  {
    what: 'a date in another form',
    event: { ...EVENT, dates: [{ start: '20. juni 2031' }] },
    verdict: 'refused',
  },
  {
    what: 'a date without a start',
    event: { ...EVENT, dates: [{ end: '2031-06-20 19:30' }] },
    verdict: 'refused',
  },
  { what: 'a price without a type', event: { ...EVENT, prices: [{ price: 100 }] }, verdict: 'marked' },
  { what: 'a picture without bounds', event: { ...EVENT, images: [{ focusX: 2 }] }, verdict: 'marked' },
  { what: 'no record', event: 'Kor', verdict: 'refused' },
];

test('F3: should accept, mark and refuse events as a build does', async () => {
  for (const { what, event, verdict } of EVENTS) {
    const written = JSON.parse(JSON.stringify([event]));
    assert.is(schema('events')(written), verdict === 'accepted', what);
    const { events, summary } = await validated({ 'events.json': written });
    assert.is(events.length, verdict === 'refused' ? 0 : 1, what);
    assert.is(summary.actions['dropped value'], verdict === 'marked' ? 1 : 0, what);
  }
});

const FEED = { id: 'a', kind: 'csv', file: 'a.csv' };
const LICENCE = { id: 'l', name: 'L', siteUrl: 'https://lillevik.example', categories: [] };

/** Further faults that an editor should mark, by file. */
const MARKED: Readonly<Record<string, readonly unknown[]>> = {
  events: [[{ ...EVENT, titel_en: 'Choir' }], { events: [EVENT] }],
  venues: [{ id: 'v' }, { id: 'v', name: 'V', latitude: 91 }, { id: 'v', name: 'V', aliases: 'Huset' }].map(
    (venue) => [venue],
  ),
  organizers: [[{ id: 'o', name: '' }]],
  licence: [
    { siteUrl: 'town.example' },
    { categories: undefined },
    { duplicates: 'merg' },
    { eventPages: ['https://avisen.example/'] },
    { eventPages: 'https://avisen.example/?slug={slug}' },
    { eventPages: { Lillevik: 'https://avisen.example/{id}' } },
  ].map((own) => ({
    ...LICENCE,
    ...own,
  })),
  sources: [
    { kind: 'rss', url: 'https://a.example/', file: undefined },
    { colums: {} },
    { columns: { titel: 'Tittel' } },
    { columns: { venue: { text: 'Kino' } } },
    { columns: { venue: 0 } },
  ].map((own) => [{ ...FEED, ...own }]),
  notices: [[{ id: 'n', from: '2027-01-01' }]],
  brand: [{ accent: { light: 'red' } }, { home: { name: 'By' } }, { logo: 'logo.svg' }],
  duplicates: [[['a', 'b']], { same: [['a']] }, { same: ['a', 'b'] }, { diferent: [['a', 'b']] }],
};

test('F1: should refuse unknown fields, missing fields and values out of range, by file', () => {
  for (const [name, values] of Object.entries(MARKED))
    for (const value of values) {
      const text = JSON.stringify(value);
      assert.is(schema(name)(JSON.parse(text)), false, `${name}.json: ${text}`);
    }
});

test('feeds of every kind should be valid', () => {
  const check = schema('sources');
  const columns = { title_nb: 2, start: 'Når', venue: { value: 'Kino' }, prices: ['Voksen', 'Barn'] };
  const url = 'https://a.example/';
  const map = { Konsert: 'MUSIC' };
  const feeds = [
    { id: 'a', kind: 'ical', url, map, defaults: { mode: 'online' } },
    { id: 'b', kind: 'csv', file: 'b.csv', columns, format: 'DD.MM.YYYY' },
    { id: 'c', kind: 'jsonld', url: [`${url}1`, `${url}2`] },
    { id: 'd', kind: 'graphql', url, keepIds: true, categories: 'import' },
  ].filter(({ kind }) => hasKind(kind));
  assert.ok(check(feeds), ajv.errorsText(check.errors));
});

test('should describe each column of a directory in an editor, not the field of an event with its name', () => {
  const { definitions } = jsonAt('docs/sources.schema.json') as {
    readonly definitions: { readonly feed: { readonly properties: { readonly columns: unknown } } };
  };
  const columns = JSON.stringify(definitions.feed.properties.columns);
  for (const [field, { about }] of Object.entries(TABLE_FIELDS))
    assertIncludes(columns, `"${field}":{"description":${JSON.stringify(about)}`);
});

test('F1: editors should be told of each schema, and builds should ignore `$schema`', async () => {
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
