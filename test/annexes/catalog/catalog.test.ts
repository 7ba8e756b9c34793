/** I8: `/catalog.jsonld` has what DCAT-AP-NO 3 obliges to, read as RDF; `/llms.txt` says what is there. */
import jsonld from 'jsonld';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../../jobs/settings.ts';
import type { CatalogSettings } from '../../../src/annexes/catalog/settings.ts';
import { packagePath } from '../../../src/package.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../helpers/running.ts';

const ORGANIZATION = '991825827';

const test = suite<{ running: Running }>('catalogue');

test.before(async (context) => {
  const settings = { serveSnapshots: true, organization: ORGANIZATION };
  context.running = await startBuilt(packagePath('data/sample'), NOW, { context: { settings } });
});
test.after(({ running }) => running.close());

interface Triple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: {
    readonly termType: string;
    readonly value: string;
    readonly datatype?: { readonly value: string };
    readonly language?: string;
  };
}

/** By an RDF library, which gets no other document. */
async function triplesOf(document: object): Promise<readonly Triple[]> {
  const documentLoader = () => Promise.reject(new Error('expected nothing to be fetched'));
  const dataset: unknown = await jsonld.toRDF(structuredClone(document), { documentLoader });
  if (!Array.isArray(dataset)) throw new Error('expected a list of quads');
  return dataset.map(({ subject, predicate, object }) => ({
    subject: subject.value,
    predicate: predicate.value,
    object,
  }));
}

const DCAT = 'http://www.w3.org/ns/dcat#';
const DCT = 'http://purl.org/dc/terms/';
const FOAF = 'http://xmlns.com/foaf/0.1/';
const VCARD = 'http://www.w3.org/2006/vcard/ns#';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const LANG_STRING = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString';
const THEMES = 'http://publications.europa.eu/resource/authority/data-theme/';

type Check = (object: Triple['object'], types: ReadonlyMap<string, string>) => boolean;
const isIri: Check = ({ termType }) => termType === 'NamedNode';
const isText: Check = ({ datatype }) => datatype?.value === LANG_STRING;
const isLiteral: Check = ({ termType }) => termType === 'Literal';
const isA =
  (type: string): Check =>
  ({ value }, types) =>
    types.get(value) === type;

interface Obligation {
  /** Any of these has to be there. */
  readonly any: readonly string[];
  readonly most?: number;
  readonly is: Check;
}

const TEXTS = [
  { any: [`${DCT}title`], is: isText },
  { any: [`${DCT}description`], is: isText },
];
const WHO = [
  { any: [`${DCT}publisher`], most: 1, is: isIri },
  { any: [`${DCT}publisher`], is: isA(`${FOAF}Agent`) },
  { any: [`${DCAT}contactPoint`], is: isA(`${VCARD}Organization`) },
];

/** The obligatory properties of DCAT-AP-NO 3.0, by class, with how many there may be and of what kind. */
const OBLIGATORY: Readonly<Record<string, readonly Obligation[]>> = {
  [`${DCAT}Catalog`]: [...TEXTS, ...WHO, { any: [`${DCAT}dataset`], is: isIri }],
  [`${DCAT}Dataset`]: [
    ...TEXTS,
    ...WHO,
    { any: [`${DCAT}theme`], is: ({ value }) => value.startsWith(THEMES) },
    { any: [`${DCAT}distribution`], is: isA(`${DCAT}Distribution`) },
  ],
  [`${DCAT}Distribution`]: [{ any: [`${DCAT}accessURL`], is: isIri }],
  [`${DCAT}DataService`]: [...TEXTS, ...WHO, { any: [`${DCAT}endpointURL`], most: 1, is: isIri }],
  [`${FOAF}Agent`]: [{ any: [`${FOAF}name`], is: isLiteral }],
  [`${VCARD}Organization`]: [
    { any: [`${VCARD}fn`], is: isLiteral },
    { any: [`${VCARD}hasEmail`, `${VCARD}hasURL`], is: isIri },
  ],
};

/** What is missing, or too many, or of another kind. */
async function faultsOf(document: object): Promise<readonly string[]> {
  const triples = await triplesOf(document);
  const types = new Map(
    triples
      .filter(({ predicate }) => predicate === TYPE)
      .map(({ subject, object }) => [subject, object.value]),
  );
  const faults = Object.keys(OBLIGATORY).filter((type) => ![...types.values()].includes(type));
  for (const [subject, type] of types) {
    for (const { any, most = Number.POSITIVE_INFINITY, is } of OBLIGATORY[type] ?? []) {
      const found = triples.filter((triple) => triple.subject === subject && any.includes(triple.predicate));
      const isRight =
        found.length > 0 && found.length <= most && found.every(({ object }) => is(object, types));
      // Each language once.
      const languages = found.flatMap(({ object }) => object.language ?? []);
      if (!isRight || new Set(languages).size < languages.length) faults.push(`${type}: ${any.join(' or ')}`);
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
  const document = await fetched(running);
  assert.equal(await faultsOf(document), []);
  for (const name of ['dct:publisher', 'dcat:contactPoint', 'dct:title', 'dcat:dataset']) {
    const { [name]: _, ...less } = document;
    assert.ok((await faultsOf(less)).length > 0, name);
  }
});

test('I8: should say who publishes it, under which licence, and where each distribution is', async ({
  running,
}) => {
  const triples = await triplesOf(await fetched(running));
  const values = (name: string) =>
    new Set(triples.filter(({ predicate }) => predicate === name).map(({ object }) => object.value));
  assert.equal(
    [...values(`${DCT}publisher`)],
    [`https://organization-catalog.fellesdatakatalog.digdir.no/organizations/${ORGANIZATION}`],
  );
  assert.equal([...values(`${DCT}license`)], ['https://creativecommons.org/licenses/by/4.0/deed.no']);
  const paths = [
    ...[
      '/graphQL',
      '/events.ics',
      '/events.rss',
      '/events.jsonld',
      '/events.json',
      '/events.geojson',
      '/events.csv',
    ],
    '/calendar.sqlite',
  ];
  assert.equal([...values(`${DCAT}accessURL`)].sort(), paths.map((path) => `${running.url}${path}`).sort());
  for (const path of paths.filter((each) => each !== '/graphQL')) {
    assert.is((await fetch(`${running.url}${path}`)).status, 200, path);
  }
});

test('I8: should be whole for a calendar that says little of itself', async () => {
  const events = [{ id: 'a', title_nb: 'Alene', dates: [{ start: '2026-06-01 20:00' }] }];
  const running = await startBuilt(sourceFolder({ 'events.json': events }), NOW);
  const document = await fetched(running);
  assert.equal(await faultsOf(document), []);
  assert.not.match(JSON.stringify(document), 'calendar.sqlite');
  await running.close();
});

test('H3: should take nine digits that belong together for an organization number, and nothing else', async () => {
  const read = async (text: string) => {
    const settings: CatalogSettings = readSettings(
      { ALMANAKK_ORGANIZATION: text },
      temporaryFolder(),
    ).settings;
    return settings.organization;
  };
  assert.is(await read('991 825 827'), ORGANIZATION);
  for (const wrong of ['991825826', '99182582', 'NO991825827', '99182582७']) {
    await rejects(read(wrong), 'INVALID_SETTING', /ALMANAKK_ORGANIZATION/);
  }
});

test('I8: /llms.txt should name every address that it has, and all categories', async ({ running }) => {
  const response = await fetch(`${running.url}/llms.txt`);
  const text = await response.text();
  assert.is(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(text, /^# Det skjer i Trøndelag\n\n> /);
  const { paths } = JSON.parse((await running.send('/openapi.json')).text);
  const core = ['/graphQL', '/schema.graphql', '/healthz', '/readyz'];
  for (const path of Object.keys(paths)) {
    if (!core.includes(path)) assert.match(text, `[\`${path}\`](${running.url}${path}): `);
  }
  assert.match(text, '- `MUSIC`: Konsert og musikk / Concerts and music');
  const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, url = '']) => url);
  const [needy, plain] = [['/changes.json', '/oembed'], links].map((each) => new Set(each));
  for (const url of plain ?? []) {
    if (!needy?.has(new URL(url).pathname)) assert.is((await fetch(url)).status, 200, url);
  }
  const example = /`(http\S+period=WEEKEND\S*)`/.exec(text)?.[1] ?? '';
  assert.is((await fetch(example)).status, 200);
  const body = /with `(\{"query".*\})`/.exec(text)?.[1] ?? '';
  const answer = await fetch(`${running.url}/graphQL`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.not.match(await answer.text(), '"errors"');
});

test.run();
