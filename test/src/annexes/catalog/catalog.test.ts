/** I8: `/catalog.jsonld` has the obligatory properties of DCAT-AP-NO 3, read as RDF. I14: `/llms.txt` describes the calendar. */
import jsonld from 'jsonld';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { catalog } from '../../../../src/annexes/catalog/annex.ts';
import { packagePath } from '../../../../src/package.ts';
import { assertBelow, assertIncludes, assertOneOf } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { eachIn } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const ORGANIZATION = '991825827';

const test = suite<{ running: Running }>('catalogue');

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
const isText: Check = ({ datatype }) => datatype?.value === `${RDF}langString`;
const isA =
  (type: string): Check =>
  ({ value }, types) =>
    types.get(value) === type;

/** A property that has to be there (or another one in its place), at most so many times, of this kind. */
type Obligation = readonly [names: readonly string[], is: Check, most?: number];

const TEXTS: readonly Obligation[] = [
  [[`${DCT}title`], isText],
  [[`${DCT}description`], isText],
];
const WHO: readonly Obligation[] = [
  [[`${DCT}publisher`], isIri, 1],
  [[`${DCT}publisher`], isA(`${FOAF}Agent`)],
  [[`${DCAT}contactPoint`], isA(`${VCARD}Organization`)],
];

/** The obligatory properties of DCAT-AP-NO 3.0, by class. */
const OBLIGATORY: Readonly<Record<string, readonly Obligation[]>> = {
  [`${DCAT}Catalog`]: [...TEXTS, ...WHO, [[`${DCAT}dataset`], isIri]],
  [`${DCAT}Dataset`]: [
    ...TEXTS,
    ...WHO,
    [[`${DCAT}theme`], ({ value }) => value.startsWith(THEMES)],
    [[`${DCAT}distribution`], isA(`${DCAT}Distribution`)],
  ],
  [`${DCAT}Distribution`]: [[[`${DCAT}accessURL`], isIri]],
  [`${DCAT}DataService`]: [...TEXTS, ...WHO, [[`${DCAT}endpointURL`], isIri, 1]],
  [`${FOAF}Agent`]: [[[`${FOAF}name`], ({ termType }) => termType === 'Literal']],
  [`${VCARD}Organization`]: [
    [[`${VCARD}fn`], isText],
    [[`${VCARD}hasEmail`, `${VCARD}hasURL`], isIri],
  ],
};

/** Properties that are missing, repeated or of another kind. */
async function faultsOf(document: object): Promise<readonly string[]> {
  const quads = await quadsOf(document);
  const typed = quads.filter(({ predicate }) => predicate.value === `${RDF}type`);
  const types = new Map(typed.map(({ subject, object }) => [subject.value, object.value]));
  const faults = Object.keys(OBLIGATORY).filter((type) => ![...types.values()].includes(type));
  for (const [id, type] of types) {
    for (const [names, is, most = Number.POSITIVE_INFINITY] of OBLIGATORY[type] ?? []) {
      const found = quads.filter(
        ({ subject, predicate }) => subject.value === id && names.includes(predicate.value),
      );
      const isRight =
        found.length > 0 && found.length <= most && found.every(({ object }) => is(object, types));
      // There is one value a language.
      const languages = found.flatMap(({ object }) => object.language ?? []);
      if (!isRight || new Set(languages).size < languages.length)
        faults.push(`${type}: ${names.join(' or ')}`);
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

test('I8: should name publisher, licence and distributions', async ({ running }) => {
  const quads = await quadsOf(await fetched(running));
  const values = (name: string) => {
    const found = quads.filter(({ predicate }) => predicate.value === name);
    return [...new Set(found.map(({ object }) => object.value))].sort();
  };
  assert.equal(values(`${DCT}publisher`), [
    `https://organization-catalog.fellesdatakatalog.digdir.no/organizations/${ORGANIZATION}`,
  ]);
  assert.equal(values(`${DCT}license`), ['https://creativecommons.org/licenses/by/4.0/deed.no']);
  const lists = ['ics', 'rss', 'jsonld', 'json', 'geojson', 'csv'].map((ending) => `/events.${ending}`);
  const files = lists;
  assert.equal(
    values(`${DCAT}accessURL`),
    ['/graphQL', ...files].map((path) => `${running.url}${path}`).sort(),
  );
  for (const path of files) assert.is((await fetch(`${running.url}${path}`)).status, 200, path);
});

test('I8: should be complete for a calendar without optional fields of its licence', async () => {
  const events = [{ id: 'a', title_nb: 'Alene', dates: [{ start: '2026-06-01 20:00' }] }];
  const running = await startBuilt(sourceFolder({ 'events.json': events }), NOW);
  const document = await fetched(running);
  assert.equal(await faultsOf(document), []);
  assert.not.match(JSON.stringify(document), 'calendar.sqlite');
  await running.close();
});

test('H3: should take nine digits that belong together for an organization number, and nothing else', () => {
  const { parse } = catalog.settings.organization;
  const wrong = ['991825826', '99182582', 'NO991825827', '99182582७'];
  assert.equal(
    ['991 825 827', ...wrong].map((text) => parse(text, '')),
    [ORGANIZATION, ...wrong.map(() => undefined)],
  );
});

test('I14: /llms.txt should say in half a page what is here, with addresses and examples that work', async ({
  running,
}) => {
  const { text, headers } = await running.send('/llms.txt');
  assert.is(headers['content-type'], 'text/plain; charset=utf-8');
  assert.match(text, /^# Det skjer i Trøndelag\n\n> /);
  assertBelow(Buffer.byteLength(text), 2_500, 'bytes');
  const example = /`(http\S+period=WEEKEND\S*)`/.exec(text)?.[1] ?? '';
  const addresses = eachIn(text, /\]\((http[^)]+)\)/g);
  for (const path of ['/mcp', '/graphQL', '/events.json', '/openapi.json'])
    assertIncludes(addresses, `${running.url}${path}`);
  const posted: readonly string[] = ['/mcp', '/graphQL'];
  for (const address of [example, ...addresses]) {
    const expected = posted.includes(new URL(address).pathname) ? [400, 405] : [200];
    assertOneOf((await fetch(address)).status, expected, `for ${address}`);
  }
  const { query } = JSON.parse(/such as `(\{"query".*\})`/.exec(text)?.[1] ?? '');
  // Fails for an answer with errors.
  await running.ask(query);
});

test('I14: the catalogue should name the server for assistants', async ({ running }) => {
  const quads = await quadsOf(await fetched(running));
  const endpoints = quads.filter(({ predicate }) => predicate.value === `${DCAT}endpointURL`);
  assert.equal(endpoints.map(({ object }) => object.value).sort(), [
    `${running.url}/graphQL`,
    `${running.url}/mcp`,
  ]);
});

test.run();
