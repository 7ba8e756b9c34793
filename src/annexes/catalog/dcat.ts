/** The calendar as a data set with its distributions, for open-data catalogues: DCAT-AP-NO 3, as JSON-LD. */
import { type Licence, norwegianOf } from '../../calendar/model.ts';
import type { PartRoutes, ServeContext } from '../../serve/annex.ts';
import { GRAPHQL_PATH } from '../../serve/http/graphql-endpoint.ts';
import type { About } from '../facts/facts.ts';
import { type CatalogSettings, createDescription, type Described } from './described.ts';

export function catalogRoute(context: ServeContext<CatalogSettings>): PartRoutes {
  const write = (described: Described) => JSON.stringify(catalogOf(described), null, 2);
  return {
    '/catalog.jsonld': { GET: createDescription(context, 'application/ld+json', write), about: CATALOG },
  };
}

const CATALOG: About = {
  summary: 'The calendar as a dataset, for open-data catalogues (DCAT-AP-NO).',
  answer: { about: 'A catalogue.', type: 'application/ld+json', schema: { type: 'object' } },
};

/** For JSON, which leaves out what is undefined. */
function catalogOf(described: Described): object {
  const common = commonOf(described);
  return {
    '@context': CONTEXT,
    ...partOfCatalog('catalog', described),
    '@type': 'dcat:Catalog',
    ...common,
    'dcat:dataset': datasetOf(described, common),
    'dcat:service': servicesOf(described, common),
  };
}

/** The identity of a resource that this catalogue describes. */
const partOfCatalog = (fragment: string, { address }: Described) =>
  iri(`${address}/catalog.jsonld#${fragment}`);

/** The properties that the catalogue, the data set and the services have in common. */
function commonOf(described: Described): object {
  const { lists, meta } = described.snapshot;
  const { licence } = lists;
  const norwegian = norwegianOf(licence.language);
  return {
    'dct:title': [{ '@language': norwegian, '@value': licence.name }],
    'dct:description': [
      inNorwegian(`Kommende arrangementer fra «${licence.name}», med tid, sted, arrangør og priser.`),
      inEnglish(`Upcoming events from “${licence.name}”, with dates, venues, organizers and prices.`),
    ],
    'dct:publisher': publisherOf(described),
    'dcat:contactPoint': contactOf(licence),
    'dct:modified': { '@type': 'xsd:dateTime', '@value': meta.builtAt },
    'dct:language': [norwegian, 'en' as const].map((language) => iri(`${EU}language/${LANGUAGES[language]}`)),
  };
}

function datasetOf(described: Described, common: object): object {
  const { snapshot, address } = described;
  return {
    ...partOfCatalog('events', described),
    '@type': 'dcat:Dataset',
    ...common,
    'dct:identifier': `${address}/catalog.jsonld#events`,
    'dcat:theme': iri(`${EU}data-theme/EDUC`),
    'dct:accessRights': iri(`${EU}access-right/PUBLIC`),
    'dct:accrualPeriodicity': iri(`${EU}frequency/CONT`),
    'dcat:landingPage': iri(snapshot.lists.licence.siteUrl),
    'dcat:distribution': distributionsOf(described, partOfCatalog('graphql', described)),
  };
}

function servicesOf(described: Described, common: object): readonly object[] {
  const { abouts, address, snapshot } = described;
  const service = (fragment: string, path: string, descriptions: readonly string[]) => ({
    ...partOfCatalog(fragment, described),
    '@type': 'dcat:DataService',
    ...common,
    'dcat:endpointURL': iri(`${address}${path}`),
    'dcat:endpointDescription': descriptions.map((each) => iri(`${address}${each}`)),
    'dcat:servesDataset': partOfCatalog('events', described),
    ...termsOf(snapshot.lists.licence),
  });
  const graphql = service('graphql', GRAPHQL_PATH, ['/openapi.json', '/schema.graphql']);
  if (!abouts[ASSISTANTS]) return [graphql];
  return [graphql, service('mcp', ASSISTANTS, ['/openapi.json', '/llms.txt'])];
}

/** I14: the endpoint for assistants, if that annex is present. */
const ASSISTANTS = '/mcp';

const EU = 'http://publications.europa.eu/resource/authority/';
const LANGUAGES = { nb: 'NOB', nn: 'NNO', en: 'ENG' };

const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
};

const iri = (id: string) => ({ '@id': id });
const inNorwegian = (text: string) => ({ '@language': 'nb', '@value': text });
const inEnglish = (text: string) => ({ '@language': 'en', '@value': text });

/** The register of legal entities has an address for each of them. */
const ORGANIZATIONS = 'https://organization-catalog.fellesdatakatalog.digdir.no/organizations/';

function publisherOf({ snapshot, organization }: Described): object {
  const { licence } = snapshot.lists;
  const name = licence.attribution ?? licence.name;
  const agent = { '@type': 'foaf:Agent', 'foaf:name': inNorwegian(name) };
  if (organization === null) return { ...iri(licence.siteUrl), ...agent };
  return { ...iri(`${ORGANIZATIONS}${organization}`), ...agent, 'dct:identifier': organization };
}

function contactOf({ contact, name, siteUrl }: Licence): object {
  const { email = null, url = null } = contact ?? {};
  // Without an address of either kind, people find one on the site.
  const website = email === null ? (url ?? siteUrl) : url;
  return {
    '@type': 'vcard:Organization',
    'vcard:fn': inNorwegian(contact?.name ?? name),
    'vcard:hasEmail': email === null ? undefined : iri(`mailto:${email}`),
    'vcard:hasURL': website === null ? undefined : iri(website),
  };
}

function termsOf({ dataLicence }: Licence): object {
  const url = dataLicence?.url ?? null;
  return url === null ? {} : { 'dct:license': iri(url) };
}

/** Resources that contain the events themselves: lists, and the whole calendar as a file. */
const HOLDS_EVENTS = /^\/(?:events\.(?!html$)|calendar\.)/;

function distributionsOf({ abouts, address, snapshot }: Described, service: object): readonly object[] {
  const distribution = (path: string, title: string, type: string | undefined) => ({
    '@type': 'dcat:Distribution',
    'dct:title': inEnglish(title),
    'dcat:accessURL': iri(`${address}${path}`),
    'dcat:mediaType': type === undefined ? undefined : iri(`${MEDIA_TYPES}${type}`),
    ...termsOf(snapshot.lists.licence),
  });
  const files = Object.entries(abouts).flatMap(([path, about]) => {
    if (about === null || !HOLDS_EVENTS.test(path)) return [];
    return distribution(path, about.summary, about.answer.type);
  });
  const byQuery = distribution(GRAPHQL_PATH, 'Events by GraphQL query.', 'application/json');
  return [{ ...byQuery, 'dcat:accessService': service }, ...files];
}

const MEDIA_TYPES = 'https://www.iana.org/assignments/media-types/';
