/** I8: `/catalog.jsonld` has the obligatory properties of DCAT-AP-NO 3, read as RDF. */
import jsonld from 'jsonld';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { catalog } from '../../../../src/annexes/catalog/annex.ts';
import { packagePath } from '../../../../src/package.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const ORGANIZATION = '991825827';

const test = suite<{ running: Running }>('catalogue');
const opened = closedAfterEach(test);

test.before(async (context) => {
  const settings = { serveSnapshots: true, organization: ORGANIZATION };
  context.running = await startBuilt(packagePath('data/sample'), NOW, { context: { settings } });
});
test.after(({ running }) => running.close());

type Term = Readonly<Record<'value', string>>;
type Quad = Readonly<Record<'subject' | 'predicate', Term>> & {
  readonly object: Term & { readonly termType: string; readonly datatype?: Term; readonly language?: string };
};

/** Reads the catalogue with an RDF library, which may load no other document. */
async function quadsOf(document: object): Promise<readonly Quad[]> {
  const documentLoader = () => Promise.reject(new Error('expected nothing to be fetched'));
  const dataset: unknown = await jsonld.toRDF(structuredClone(document), { documentLoader });
  if (!Array.isArray(dataset)) throw new Error('expected a list of quads');
  return dataset;
}

const DCAT = 'http://www.w3.org/ns/dcat#';
const DCT = 'http://purl.org/dc/terms/';
const FOAF = 'http://xmlns.com/foaf/0.1/';
const VCARD = 'http://www.w3.org/2006/vcard/ns#';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const THEMES = 'http://publications.europa.eu/resource/authority/data-theme/';

type Check = (object: Quad['object'], types: ReadonlyMap<string, string>) => boolean;
const isIri: Check = ({ termType }) => termType === 'NamedNode';
const isLiteral: Check = ({ termType }) => termType === 'Literal';
const isText: Check = ({ datatype }) => datatype?.value === `${RDF}langString`;
const isTheme: Check = ({ value }) => value.startsWith(THEMES);
const isA =
  (type: string): Check =>
  ({ value }, types) =>
    types.get(value) === type;

/** A property that an object must have. */
interface Obligation {
  /** The property, and others that may replace it. */
  readonly names: readonly string[];
  readonly check: Check;
  readonly most?: number;
}

const TEXTS: readonly Obligation[] = [
  { names: [`${DCT}title`], check: isText },
  { names: [`${DCT}description`], check: isText },
];
const PUBLISHER: readonly Obligation[] = [
  { names: [`${DCT}publisher`], check: isIri, most: 1 },
  { names: [`${DCT}publisher`], check: isA(`${FOAF}Agent`) },
  { names: [`${DCAT}contactPoint`], check: isA(`${VCARD}Organization`) },
];

/** The obligatory properties of DCAT-AP-NO 3.0, by class. */
const OBLIGATORY: Readonly<Record<string, readonly Obligation[]>> = {
  [`${DCAT}Catalog`]: [...TEXTS, ...PUBLISHER, { names: [`${DCAT}dataset`], check: isIri }],
  [`${DCAT}Dataset`]: [
    ...TEXTS,
    ...PUBLISHER,
    { names: [`${DCAT}theme`], check: isTheme },
    { names: [`${DCAT}distribution`], check: isA(`${DCAT}Distribution`) },
  ],
  [`${DCAT}Distribution`]: [{ names: [`${DCAT}accessURL`], check: isIri }],
  [`${DCAT}DataService`]: [...TEXTS, ...PUBLISHER, { names: [`${DCAT}endpointURL`], check: isIri, most: 1 }],
  [`${FOAF}Agent`]: [{ names: [`${FOAF}name`], check: isLiteral }],
  [`${VCARD}Organization`]: [
    { names: [`${VCARD}fn`], check: isText },
    { names: [`${VCARD}hasEmail`, `${VCARD}hasURL`], check: isIri },
  ],
};

/** Properties that are missing, repeated or of another kind. */
async function faultsOf(document: object): Promise<readonly string[]> {
  const quads = await quadsOf(document);
  const typed = quads.filter(({ predicate }) => predicate.value === `${RDF}type`);
  const types = new Map(typed.map(({ subject, object }) => [subject.value, object.value]));
  const faults = Object.keys(OBLIGATORY).filter((type) => ![...types.values()].includes(type));
  for (const [id, type] of types) {
    for (const { names, check, most = Number.POSITIVE_INFINITY } of OBLIGATORY[type] ?? []) {
      const found = quads
        .filter(({ subject, predicate }) => subject.value === id && names.includes(predicate.value))
        .map(({ object }) => object);
      const isRightKind = found.every((object) => check(object, types));
      const isRightNumber = found.length > 0 && found.length <= most;
      const languages = found.flatMap(({ language }) => language ?? []);
      const isOncePerLanguage = new Set(languages).size === languages.length;
      if (!isRightKind || !isRightNumber || !isOncePerLanguage) faults.push(`${type}: ${names.join(' or ')}`);
    }
  }
  return faults;
}

async function fetched({ send }: Running): Promise<{ readonly [name: string]: unknown }> {
  const { headers, text } = await send('/catalog.jsonld');
  assert.is(headers['content-type'], 'application/ld+json; charset=utf-8');
  assert.match(headers['cache-control'] ?? '', /^public, max-age=\d+$/);
  return JSON.parse(text);
}

test('I8: should have the obligatory properties of DCAT-AP-NO', async ({ running }) => {
  assert.equal(await faultsOf(await fetched(running)), []);
});

/** The different values of a property, sorted. */
async function valuesOf(running: Running, name: string): Promise<readonly string[]> {
  const quads = await quadsOf(await fetched(running));
  const found = quads.filter(({ predicate }) => predicate.value === name);
  return [...new Set(found.map(({ object }) => object.value))].sort();
}

test('I8: should name the publisher by the organization number', async ({ running }) => {
  assert.equal(await valuesOf(running, `${DCT}publisher`), [
    `https://organization-catalog.fellesdatakatalog.digdir.no/organizations/${ORGANIZATION}`,
  ]);
});

test('I8: should name the licence of the data', async ({ running }) => {
  assert.equal(await valuesOf(running, `${DCT}license`), [
    'https://creativecommons.org/licenses/by/4.0/deed.no',
  ]);
});

const LISTS = ['ics', 'rss', 'jsonld', 'json', 'geojson', 'csv'].map((ending) => `/events.${ending}`);

test('I8: should name the endpoint and each list as a distribution', async ({ running }) => {
  const addresses = ['/graphQL', ...LISTS].map((path) => `${running.url}${path}`);
  assert.equal(await valuesOf(running, `${DCAT}accessURL`), addresses.sort());
  for (const path of LISTS) assert.is((await running.send(path)).status, 200, path);
});

test('I14: should name the endpoint and the server for assistants as services', async ({ running }) => {
  assert.equal(await valuesOf(running, `${DCAT}endpointURL`), [
    `${running.url}/graphQL`,
    `${running.url}/mcp`,
  ]);
});

test('I8: should be complete for a calendar without optional fields of its licence', async () => {
  const events = [{ id: 'a', title_nb: 'Alene', dates: [{ start: '2026-06-01 20:00' }] }];
  const running = opened(await startBuilt(sourceFolder({ 'events.json': events }), NOW));
  const document = await fetched(running);
  assert.equal(await faultsOf(document), []);
  assert.not.match(JSON.stringify(document), 'calendar.sqlite');
});

test('H3: should read an organization number with blanks in it', () => {
  assert.is(catalog.settings.organization.parse('991 825 827', ''), ORGANIZATION);
});

/** Each with its fault. */
const NOT_ORGANIZATIONS: Readonly<Record<string, string>> = {
  'a wrong check digit': '991825826',
  'eight digits': '99182582',
  'letters before it': 'NO991825827',
  'a digit of another script': '99182582७',
};

for (const [fault, text] of Object.entries(NOT_ORGANIZATIONS)) {
  test(`H3: should refuse an organization number with ${fault}: ${text}`, () => {
    assert.is(catalog.settings.organization.parse(text, ''), undefined);
  });
}

test.run();
